import streamlit as st

from core.classroom.corpora import read_split
from core.corpora.corpus import CorpusError
from pages.components.app.content import PAGE_TEXTS
from pages.components.app.findings import lengths_of
from pages.components.app.models import model_for_corpus
from pages.components.app.navigation import end_page
from pages.components.data.corpus_choice import choose_split
from pages.components.data.lengths import show_lengths
from pages.components.data.pairs import show_pairs
from pages.components.lesson.exercise import offer_exercise
from pages.components.widgets.page.heading import show_heading
from pages.components.widgets.words import plain

show_heading("data")
corpus, split = choose_split()
try:
    with st.spinner("Reading the pairs. The first time, this takes a few seconds."):
        pairs = read_split(corpus.name, split)
except CorpusError as error:
    st.error(plain(str(error)), icon=":material/error:")
    end_page()
st.subheader(f"{len(pairs):,} pairs")
show_pairs(corpus, split, pairs)
model = model_for_corpus(corpus)
show_lengths(lengths_of(corpus.name, split), model.name if model else "")
offer_exercise(PAGE_TEXTS["data"].views["data"].exercise)
