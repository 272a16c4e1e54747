"""What the page about positional encodings says beside each of its views."""

from core.theory.positional_encoding import (
    concatenated_encoding,
    dot_products,
    similarities,
    sinusoidal_encoding,
    wave,
    wavelengths,
)
from core.theory.word_order import read_words
from pages.components.lesson import Formula, Lesson

_ENCODING = Formula(
    r"""\begin{aligned}
    PE_{(pos,\,2i)} &= \sin\!\left(pos / 10000^{2i/d_{model}}\right) \\
    PE_{(pos,\,2i+1)} &= \cos\!\left(pos / 10000^{2i/d_{model}}\right)
    \end{aligned}""",
    "Vaswani et al. 2017, section 3.5",
)

LESSONS = {
    "heatmap": Lesson(
        notice="Each row is one position's pattern, and no two rows are alike. The first channels change from "
        "word to word, the last ones hardly over thousands of words: like the hands of a clock, fast ones "
        "for detail and slow ones for the whole.",
        formulas=(_ENCODING,),
        code=(sinusoidal_encoding, concatenated_encoding),
        question="What does the row of position 0 look like, whatever the width?",
        answer="0, 1, 0, 1, …: the sine of 0 is 0 and the cosine of 0 is 1, in every pair of channels. "
        "Concatenated: first all zeros, then all ones.",
    ),
    "waves": Lesson(
        notice="A channel is one wave. Each pair of channels is slower than the one before by the same factor: from "
        "about 6 positions for one wave to about 60,000. One wave repeats, but all together they do not.",
        formulas=(
            Formula(r"\lambda_i = 2\pi \cdot 10000^{2i/d_{model}}", "Vaswani et al. 2017, section 3.5"),
            _ENCODING,
        ),
        code=(wave, wavelengths),
        question="Channels 0 and 1 have the same wavelength. Why does a model need both?",
        answer="A sine alone has most of its values twice in a wave, once rising and once falling. Sine and cosine "
        "together are a point on a circle, which is somewhere else at every moment. And with both, the encoding "
        "of a position further on is a rotation: something a layer of weights can learn.",
    ),
    "dots": Lesson(
        notice="Position p is most like itself, and likeness falls with distance, the same way on both sides. It "
        "depends on the distance alone, not on p. So attention, which is made of dot products, can tell near "
        "from far.",
        formulas=(
            Formula(
                r"PE_p \cdot PE_q = \sum_i \cos\!\left(\frac{p - q}{10000^{2i/d_{model}}}\right)",
                "From section 3.5, by sin a sin b + cos a cos b = cos(a − b)",
            ),
        ),
        code=(dot_products,),
        question="How high is the peak for a width of 64, and why?",
        answer="32, half the width. At distance 0 each of the 32 pairs of channels adds cos 0 = 1.",
    ),
    "shuffle": Lesson(
        notice="Without positions the two upper maps are the same: the head cannot know who bites whom, and a word "
        "that stands twice gets the same row twice. With positions added, every place counts, and the lower "
        "maps differ.",
        formulas=(
            Formula(
                r"x_{pos} = \sqrt{d_{model}}\; E_{word} + PE_{pos}",
                "Vaswani et al. 2017, sections 3.4 and 3.5",
            ),
        ),
        code=(read_words,),
        question="Write a sentence that has every word only once, and set Shuffle to 0. Which maps are equal now?",
        answer="Each pair of maps, left and right: nothing was shuffled. The upper and the lower ones still differ, "
        "since the positions were added in the lower ones.",
    ),
    "learned": Lesson(
        notice="A learned table starts as noise and gets a row for each position it trains on. Short sentences teach "
        "it only the first rows; beyond its length it has no row at all. The paper tried both kinds and found "
        "nearly the same quality.",
        formulas=(
            Formula(
                r"x_{pos} = \sqrt{d_{model}}\; E_{word} + P_{pos}",
                "Vaswani et al. 2017, section 3.5 and table 3, row (E): P is learned like any other weight",
            ),
        ),
        code=(similarities,),
        question="A model learnt positions 0 to 31. What can it do with a sentence of 40 words? And one with waves?",
        answer="The learned table ends: the sentence must be cut. The waves go on: their formula gives a pattern for "
        "any position, though the model has not practised with it.",
    ),
}
