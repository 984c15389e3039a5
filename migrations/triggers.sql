-- What is kept beside the log, by the log itself.

-- Asked for each event, called only for the first one of a run that works for an end user.
create trigger event_end_user after insert on event
for each row when (new.type = 'run.created' and new.payload ? 'endUser')
execute function note_end_user();

create trigger event_erased after update of payload on event
for each row when (new.seq = 1 and new.payload is null)
execute function forget_end_user();

-- Asked for each event, called only for what is said of titles.
create trigger event_titled after insert on event
for each row when (new.type in ('thread.titled', 'title.unchanged'))
execute function note_title();

create trigger event_untitled after update of payload on event
for each row when (old.type = 'thread.titled' and old.payload is not null and new.payload is null)
execute function forget_title();

-- Asked for each event, called only for questions of models.
create trigger event_question after insert on event
for each row when (new.type in ('input.requested', 'input.answered', 'input.expired'))
execute function keep_question();

create trigger event_moved after update of xid, gpos on event
for each statement execute function forget_survey();
