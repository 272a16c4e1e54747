import streamlit as st

from core.classroom.corpus_reading import read_split
from core.corpora.delimited import CorpusError
from pages.components.app.resources import corpus_statistics, model_for_corpus
from pages.components.data.corpus_view import choose_split, show_pairs, show_statistics
from pages.components.widgets.words import plain

st.title("Data")
st.markdown("What models learn from: sentences with their translations, made by people.")
corpus, split = choose_split()
try:
    with st.spinner("Reading the pairs. The first time, this takes some seconds."):
        pairs = read_split(corpus.name, split)
except CorpusError as error:
    st.error(plain(str(error)), icon=":material/error:")
    st.stop()
st.subheader(f"{len(pairs):,} pairs")
show_pairs(corpus, split, pairs)
model = model_for_corpus(corpus)
with st.spinner("Counting words and subwords. The first time, this takes some seconds."):
    statistics = corpus_statistics(corpus.name, split, model.id if model else "", model)
show_statistics(statistics, model.name if model else "")
