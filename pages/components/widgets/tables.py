"""Sizes of tables."""

ROW_HEIGHT = 84  # pixels: three lines of text; Streamlit (1.67) wraps text only in rows of more than 68
TEXT_WIDTH = 270  # pixels: three columns of sentences fit beside some figures on a small laptop
