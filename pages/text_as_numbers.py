from pages.components.catalogue import TEXT_AS_NUMBERS
from pages.components.lesson import show_title
from pages.components.neighbours import show_neighbours

show_title(TEXT_AS_NUMBERS.title, TEXT_AS_NUMBERS.line)
show_neighbours(TEXT_AS_NUMBERS)
