from pages.components.catalogue import ARCHITECTURE
from pages.components.lesson import show_title
from pages.components.neighbours import show_neighbours

show_title(ARCHITECTURE.title, ARCHITECTURE.line)
show_neighbours(ARCHITECTURE)
