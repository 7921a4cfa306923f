// A check: when it runs, what it examines, the alert that it raises, and its diagnoses at three levels.
import { type Static, Type } from '@sinclair/typebox'
import type { Environment } from '../../catalogue/providers.ts'
import type { Catalogue, StorageSettings } from '../../domain/catalogue.ts'
import { Nullable } from '../../http/schema.ts'
import type { Awaitable, Db } from '../../store/db.ts'
import { withoutTrailing } from '../../utilities/text-ends.ts'

export const Diagnosis = Type.Object({
  check: Type.String({ description: 'the thing checked, such as `disk` or `provider openai#1`' }),
  level: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
  found: Type.String(),
  advice: Nullable(Type.String({ description: 'what to do about it; null if there is nothing to do' })),
  account_id: Type.Optional(
    Type.Integer({ description: 'the account concerned; an alert is deleted with its account' }),
  ),
})
export type Diagnosis = Static<typeof Diagnosis>

export interface CheckContext {
  data_folder: string
  /** The location of rows and files; undefined if the catalogue cannot be read, which the check of the catalogue reports. */
  storage: StorageSettings | undefined
  env: Environment
  now: () => number
}

export interface ReadContext extends CheckContext {
  catalogue: Catalogue
}

/** For checks that read rows: the running gateway's database, or else one opened for reading. */
interface DatabaseContext extends CheckContext {
  db: Db
}

/**
 * The occasion of a check: a run of the doctor; each minute in a gateway, to raise an alert; and `/readyz`, which answers 503 if it fails.
 * A plugin refuses a start by an error of `prepare` or `open`, not by a check.
 */
export type CheckTime = 'doctor' | 'alert' | 'ready'

interface CheckBase {
  /** Its name for `doctor --only`. */
  name: string
  when: readonly CheckTime[]
  alert?: AlertOfCheck
}

interface CheckFunction<Needs, Examined, More extends unknown[]> {
  /**
   * `catalogue`: the check runs only if the catalogue is valid. `database`: only if there is a database of this program's version; otherwise
   * the check `database` reports the reason.
   */
  needs: Needs
  look: (context: Examined, time: CheckTime, ...more: More) => Awaitable<readonly Diagnosis[]>
}

/**
 * One thing that is examined. Each diagnosis is a sentence and an advice, the same wherever it is reported. `own` is the running part of
 * its plugin, undefined if no gateway runs in this process.
 */
export type Check<Own = unknown> = CheckBase &
  (
    | CheckFunction<'folder', CheckContext, [own: Own | undefined]>
    | CheckFunction<'catalogue', ReadContext, [own: Own | undefined]>
    | CheckFunction<'database', DatabaseContext, [own: Own | undefined]>
  )

/** A check bound to the running part of its plugin. */
export type GatewayCheck = CheckBase &
  (CheckFunction<'folder', CheckContext, []> | CheckFunction<'catalogue', ReadContext, []>)

export interface AlertOfCheck {
  /** The alert rule's name, stored with the alert and sent to the webhook. */
  rule: string
  /** The beginning of its sentence: `Disk nearly full`. */
  title?: string
  /** Each gateway checks its own machine, which is the alert's subject; otherwise one gateway checks for all. */
  of_machine?: boolean
  /** Each failed diagnosis raises its own alert, named by its `check`; otherwise only the first one does. */
  each?: boolean
  /** The minimum interval; a minute if absent. */
  every_ms?: number
}

/** Returns constructors of a check's diagnoses. `found` loses its full stop: the code that shows it with the advice adds one. */
export function diagnosesOf(check: string, account_id?: number) {
  const diagnosis = (level: Diagnosis['level'], found: string, advice: string | null): Diagnosis => ({
    check,
    level,
    found: withoutTrailing(found, '.'),
    advice,
    ...(account_id !== undefined && { account_id }),
  })
  return {
    ok: (found: string) => diagnosis('ok', found, null),
    warn: (found: string, advice: string) => diagnosis('warn', found, advice),
    fail: (found: string, advice: string) => diagnosis('fail', found, advice),
  }
}
