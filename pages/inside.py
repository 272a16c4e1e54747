from core.classroom.tensorflow_import import load_tensorflow
from pages.components.app.models import prepare_inside
from pages.components.app.session import current_workspace
from pages.components.widgets.look_inside import show_translation

answer = show_translation(current_workspace(), "What the model computes")

load_tensorflow()  # in the one place for that, before the import needs it
from pages.components.inside.views import show_inside  # noqa: E402

show_inside(answer)
prepare_inside(answer.model)
