import { auditScript } from '../../src/bash-audit/audit-script.ts'
import { readTable } from './table.ts'
import { writeSync } from 'node:fs'
for (const { script, verdict, rule } of readTable('./from-projects.txt')) {
  const t = performance.now()
  writeSync(1, JSON.stringify(script).slice(0, 200) + '\n')
  const f = auditScript(script).map((e) => e.rule)
  writeSync(1, `   ${verdict} ${rule} -> ${f.join()} ${(performance.now() - t).toFixed(0)}ms\n`)
}
