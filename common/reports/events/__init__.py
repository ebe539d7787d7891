"""The command ``events``: scores of event lists and frame scores, without any model.

Reading order: :mod:`options <common.reports.events.options>`,
:mod:`settings <common.reports.events.settings>`, :mod:`inputs <common.reports.events.inputs>`,
:mod:`evaluation <common.reports.events.evaluation>` and
:mod:`scored <common.reports.events.scored>`, then
:mod:`answer <common.reports.events.answer>` and :mod:`common.reports.events_report`.
"""
