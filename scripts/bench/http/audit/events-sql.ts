/**
 * Events as SQL makes them: half a year of runs of twenty events each, of one large tenant and twenty small ones. What is
 * rare is rare, and some things are new: an agent, a tool and an actor that only the last days know. These are the hard
 * ones: a reader that walks the feed from its beginning finds nothing for a long time.
 */

export const eventsPerRun = 20
const days = 180
const texts = 1000

/** Runs, and texts to say, in tables that go away. `$runs` of them; `r` counts them in time. */
export const runsSql = (runs: number): readonly string[] => [
  `create unlogged table public.said as
   select n, case when n = 7 then 'the platypus of the month ' else '' end || string_agg(
     (array['river','tide','ledger','invoice','customer','order','report','weather','number','answer','because','which',
       'delivered','approved','amount','please','table','signal','between','nothing'])[1 + (hashint4(n * 97 + w) & 2147483647) % 20],
     ' ') as text
   from generate_series(0, ${texts - 1}) n, generate_series(1, 12 + n % 40) w group by n`,
  `create unlogged table public.made as
   select r, h, at,
     (lpad(to_hex(signalbox.to_ms(at)), 12, '0') || '7' || substr(md5(r::text), 1, 3) || '8' || substr(md5(r::text), 4, 15))::uuid as id,
     case when (r / 3) % 10 < 9 then 'default' else 'tenant-' || r / 30 % 20 end as tenant_id,
     'thread-' || r / 3 as thread_id, r % 3 + 1 as place,
     case when r > ${runs} * 0.98 and r % 7 = 0 then 'newcomer'
       else (array['writer','writer','writer','clerk','clerk','researcher','support','auditor'])[1 + h % 8] end as agent,
     case when h % 331 = 0 then 'safety_stopped' when h % 97 = 0 then 'cancelled' when h % 61 = 0 then 'failed'
       else 'completed' end as outcome,
     'u_' || md5((h % 20000)::text) as end_user, 'user:' || h % 500 as person,
     case when r > ${runs} * 0.98 and r % 11 = 0 then 'refund'
       else (array['read_file','read_file','search','search','search','write_file','write_file','query','send_mail','http_get',
         'calculate','list_files'])[1 + (h / 8) % 12] end as tool,
     case when r > ${runs} * 0.98 then 'host-9.1.beef' else 'host-' || h % 4 || '.1.cafe' end as worker
   from (
     select r, (hashint4(r) & 2147483647) as h,
       now() - interval '${days} days' + interval '${days} days' * r / ${runs} as at
     from generate_series(0, ${runs - 1}) r
   ) n`,
  'create unique index on public.made (r)',
  'analyze public.made, public.said',
  `insert into signalbox.run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
     outcome, admitted, seq, facts, decided, head_hash, metadata, created_at, updated_at, due_at, place, multitask)
   select id, tenant_id, thread_id, agent, 'bench', 'run', 1, 'ended', 'completed', outcome, true, ${eventsPerRun},
     ${eventsPerRun}, ${eventsPerRun}, sha256(int4send(r)), '{}', at, at, at, place, 'enqueue'
   from public.made`,
  'insert into signalbox.end_user_run (tenant_id, end_user, run_id) select tenant_id, end_user, id from public.made where h % 3 = 0',
  `insert into signalbox.effect (id, run_id, tenant_id, kind, queue, mode, tool, status, attempt, due, next_look, spec)
   select id || '.' || n, id, tenant_id, 'tool.call', 'tools', 'idempotent', tool, 'done', 1, at, 'infinity',
     jsonb_build_object('id', id || '.' || n, 'kind', 'tool.call', 'callId', 'call_' || n, 'argsHash', md5(id || '.' || n))
   from public.made, generate_series(6, 18, 6) n`,
]

/** What the `k`-th event of a run is. Three turns of six events; what seldom happens takes the place of something else. */
const typeOf = `case
  when k = 1 then 'run.created' when k = 2 then 'run.admitted'
  when k = 5 and h % 50 = 0 then 'call.denied'
  when k = 5 and h % 101 = 0 then 'approval.requested' when k = 8 and h % 101 = 0 then 'approval.answered'
  when k = 11 and h % 1009 = 0 then 'loop.warned' when k = 14 and h % 2003 = 0 then 'guardrail.tripped'
  when k = 20 and h % 331 = 0 then 'safety.suppressed' when k = 20 and h % 40009 = 0 then 'run.faulted'
  when k % 6 = 1 and (h / 7 + k) % 33 = 0 then 'tool.failed' when k = 13 and h % 401 = 0 then 'tool.unknown'
  else (array['effect.started','tool.completed','run.transitioned','effect.started','model.completed','run.transitioned'])[1 + k % 6]
  end`

/**
 * One month of events, from `$1` to `$2` of the feed. `$3` and `$4`: the first transaction of all, and how many events one
 * has. `$5` and `$6`: the ids between which the runs of the month lie.
 */
export const eventsSql = (partition: string): string => `
  insert into signalbox.${partition} (run_id, seq, gpos, xid, at, tenant_id, thread_id, type, type_version, actor, tool, verdict,
    key, payload, salt, payload_sha256, digest, hash)
  select id, k, g + 1, ($3::bigint + g / $4::bigint)::text::xid8, date_trunc('milliseconds', at + interval '1.5 seconds' * k),
    tenant_id, thread_id, type, 1,
    case when k = 1 or type = 'approval.answered' then person when type in ('tool.completed', 'tool.failed', 'tool.unknown')
      or type = 'effect.started' and k % 6 = 0 then worker else 'host-0.1.f00d' end,
    case when type like 'tool.%' or type like 'approval.%' or type = 'call.denied' or type = 'effect.started' and k % 6 = 0
      then tool end,
    case type when 'model.completed' then 'complete' when 'call.denied' then 'denied' when 'approval.requested' then 'asked'
      when 'approval.answered' then 'approve' when 'loop.warned' then 'warned' when 'guardrail.tripped' then 'pii'
      when 'safety.suppressed' then 'suppressed' when 'tool.failed' then 'failed' when 'tool.unknown' then 'unknown' end,
    case when k in (1, 2) or type in ('model.completed', 'tool.completed', 'tool.failed') then type || ':' || k end,
    case type
      when 'run.created' then jsonb_build_object('agent', agent, 'definitionHash', 'bench', 'machine', 'run', 'machineVersion', 1,
        'metadata', '{}'::jsonb, 'user', jsonb_build_object('id', person, 'role', null),
        'input', jsonb_build_array(jsonb_build_object('id', 'm1', 'role', 'user', 'parts',
          jsonb_build_array(jsonb_build_object('type', 'text', 'text', text)))))
        || case when h % 3 = 0 then jsonb_build_object('endUser', end_user) else '{}' end
      when 'model.completed' then jsonb_build_object('effectId', id || '.' || k - 1, 'attempt', 1, 'turn', jsonb_build_object(
        'verdict', 'complete', 'finish', jsonb_build_object('unified', 'tool-calls'), 'usage', jsonb_build_object('inputTokens', h % 9000,
        'outputTokens', h % 900), 'message', jsonb_build_object('id', 'm' || k, 'role', 'assistant', 'parts', jsonb_build_array(
          jsonb_build_object('type', 'text', 'text', text),
          jsonb_build_object('type', 'tool_call', 'id', 'call_' || k + 2, 'name', tool, 'argsHash', md5(text),
            'args', jsonb_build_object('path', 'reports/' || h % 5000 || '.md', 'text', left(text, 80)))))))
      when 'tool.completed' then jsonb_build_object('effectId', id || '.' || k - 1, 'callId', 'call_' || k - 1, 'attempt', 1,
        'output', jsonb_build_object('isError', false, 'content', jsonb_build_array(jsonb_build_object('type', 'text', 'text', text))))
      when 'effect.started' then jsonb_build_object('effectId', id || '.' || k, 'attempt', 1, 'owner', worker)
      when 'run.transitioned' then jsonb_build_object('from', 'model', 'to', 'tools', 'through', k - 1, 'passes',
        jsonb_build_array('safety', 'guardrail', 'loop'), 'effects', jsonb_build_array(jsonb_build_object('id', id || '.' || k + 1,
        'kind', 'tool.call', 'tool', tool, 'queue', 'tools', 'mode', 'idempotent')))
      when 'tool.failed' then jsonb_build_object('effectId', id || '.' || k - 1, 'callId', 'call_' || k - 1, 'attempt', 1, 'error',
        jsonb_build_object('code', 'timeout', 'message', left(text, 60)))
      else jsonb_build_object('effectId', id || '.' || k - 1, 'callId', 'call_' || k - 1, 'tool', tool, 'code', 'denied_tool',
        'message', left(text, 60), 'decision', 'approve', 'reason', 'worker_lost')
    end,
    substr(sha256(int8send(g)), 1, 16), sha256(int8send(g)), sha256(int8send(-g)), sha256(int8send(g + 1))
  from (
    select g, k, m.*, ${typeOf} as type, (h / 3 + k) % ${texts} as said
    from (select g, (g / 160 * 8 + g % 8)::int as r, (g % 160 / 8 + 1)::int as k from generate_series($1::bigint, $2::bigint) g) f
    join public.made m using (r)
    where m.id >= $5::uuid and m.id < $6::uuid
  ) e
  join public.said s on s.n = e.said`
