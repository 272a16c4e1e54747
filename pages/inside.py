from pages.components.app.session import current_workspace
from pages.components.inside.views import show_inside
from pages.components.widgets.look_inside import show_translation

show_inside(show_translation(current_workspace(), "inside"))
