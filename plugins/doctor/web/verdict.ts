// The verdict on the last audit and check-up. Pure.
import type { Diagnosis } from '../../../src/app/checks/check.ts'
import { countNoun } from '../../console/web/parts/amounts.ts'

interface Outcomes {
  problems: readonly Pick<Diagnosis, 'level'>[]
  passed: readonly unknown[]
  failures: readonly string[]
}

interface Verdict {
  level: Diagnosis['level'] | null
  words: string
}

/** Returns such as "3 problems found.", "2 warnings." or, only if the checks could run, "No problems found." */
export function verdictOf({ problems, passed, failures }: Outcomes): Verdict {
  const failed = problems.filter(({ level }) => level === 'fail').length
  const warnings = problems.length > failed ? `, ${countNoun(problems.length - failed, 'warning')}` : ''
  if (failed > 0) return { level: 'fail', words: `${countNoun(failed, 'problem')} found${warnings}.` }
  if (failures.length > 0) return { level: 'fail', words: 'The last check could not run.' }
  if (problems.length > 0) return { level: 'warn', words: `${countNoun(problems.length, 'warning')}.` }
  return passed.length > 0
    ? { level: 'ok', words: 'No problems found.' }
    : { level: null, words: 'Not checked yet.' }
}
