from pages.components.catalogue import MASKS
from pages.components.lesson import show_title
from pages.components.neighbours import show_neighbours

show_title(MASKS.title, MASKS.line)
show_neighbours(MASKS)
