"""The command ``events``: scores of event lists and frame scores, without any model.

Reading order: :mod:`options <common.events_command.options>`,
:mod:`settings <common.events_command.settings>`, :mod:`inputs <common.events_command.inputs>`,
:mod:`evaluation <common.events_command.evaluation>` and
:mod:`scored <common.events_command.scored>`, then
:mod:`answer <common.events_command.answer>` and :mod:`common.events_report`.
"""
