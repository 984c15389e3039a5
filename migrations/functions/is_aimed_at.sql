-- Is an effect of an agent's run what a pause means? What starts a run is a call of its tool; what recalls one executes nothing.
create or replace function is_aimed_at(target text, name text, agent text, kind text, tool text, queue text) returns boolean
language sql immutable parallel safe
return case is_aimed_at.target
  when 'agent' then name = agent and kind <> 'webhook.deliver'
  when 'tool' then name = tool and kind in ('tool.call', 'run.start')
  when 'queue' then name = queue and kind = 'tool.call'
  else false end;

revoke execute on function is_aimed_at from public;
grant execute on function is_aimed_at to signalbox_app, signalbox_engine;
