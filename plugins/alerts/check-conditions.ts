// Conditions that raise alerts by what checks of plugins find.
import type { AlertOfCheck, Diagnosis } from '../../src/app/checks/check.ts'
import type { Condition } from './steps.ts'

/** @param machine its name where several gateways check theirs; empty where there is one */
export function conditionsOf(
  { rule, title, of_machine = false, each = false }: AlertOfCheck,
  diagnoses: readonly Diagnosis[],
  machine: string,
): Condition[] {
  const bad = diagnoses.filter(({ level }) => level !== 'ok')
  const named = of_machine && machine !== '' ? `${title} on ${machine}` : title
  const lead = named === undefined ? '' : `${named}: `
  return (each ? bad : bad.slice(0, 1)).map(({ check, found, advice }) => ({
    rule,
    subject: each ? check : of_machine ? machine : '',
    account_id: null,
    sentence: `${lead}${found}. ${advice ?? ''}`.trim(),
  }))
}
