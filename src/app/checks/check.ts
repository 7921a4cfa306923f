// A check: when it is made, what it examines, the alert that it raises, and its diagnoses at three levels.
import { type Static, Type } from '@sinclair/typebox'
import type { Environment } from '../../catalogue/providers.ts'
import type { Catalogue, StorageSettings } from '../../domain/catalogue.ts'
import { Nullable } from '../../http/schema.ts'
import type { Awaitable, Db } from '../../store/db.ts'
import { withoutTrailing } from '../../utilities/text-ends.ts'

export const Diagnosis = Type.Object({
  check: Type.String({ description: 'what was looked at, such as `disk` or `provider openai#1`' }),
  level: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
  found: Type.String(),
  advice: Nullable(Type.String({ description: 'what to do about it; null where nothing is to be done' })),
  account_id: Type.Optional(
    Type.Integer({ description: 'the account that it is about; an alert of it goes with it' }),
  ),
})
export type Diagnosis = Static<typeof Diagnosis>

export interface Patient {
  data_folder: string
  /** Where rows and files are; undefined if that cannot be read, which the check of the catalogue reports. */
  storage: StorageSettings | undefined
  env: Environment
  now: () => number
}

export interface ReadPatient extends Patient {
  catalogue: Catalogue
}

/** For checks that read rows: the database of the gateway, or where none runs here one that is opened to read. */
interface OpenPatient extends Patient {
  db: Db
}

/**
 * When a check is made: by the doctor; in a gateway, where it raises an alert; and for `/readyz`, which answers 503 by what fails.
 * A start is refused by an error of `prepare` or `open`.
 */
export type CheckTime = 'doctor' | 'alert' | 'ready'

interface CheckBase {
  /** For `doctor --only`, where the doctor makes it. */
  name: string
  when: readonly CheckTime[]
  alert?: AlertOfCheck
}

interface Looks<Needs, Examined, More extends unknown[]> {
  /**
   * `catalogue`: made where the catalogue has no mistakes. `database`: made where there is a database of this program's version; else it has
   * no diagnosis, and that of the check `database` says why.
   */
  needs: Needs
  look: (patient: Examined, time: CheckTime, ...more: More) => Awaitable<readonly Diagnosis[]>
}

/**
 * One thing that is looked at. Each of its diagnoses is a sentence and an advice, the same wherever they are reported. Besides the time it is
 * given the running part of its plugin, undefined where no gateway runs here.
 */
export type Check<Own = unknown> = CheckBase &
  (
    | Looks<'folder', Patient, [own: Own | undefined]>
    | Looks<'catalogue', ReadPatient, [own: Own | undefined]>
    | Looks<'database', OpenPatient, [own: Own | undefined]>
  )

/** A check with the running part of its plugin. */
export type GatewayCheck = CheckBase & (Looks<'folder', Patient, []> | Looks<'catalogue', ReadPatient, []>)

export interface AlertOfCheck {
  /** It is kept with the alert, and sent to the webhook. */
  rule: string
  /** The beginning of its sentence: `Disk nearly full`. */
  title?: string
  /** Each gateway looks at its own machine, which is the alert's subject; else one looks for all. */
  of_machine?: boolean
  /** Each diagnosis that is not well is an alert of its own, by its `check`; else the first one is. */
  each?: boolean
  /** At most this often; each minute where absent. */
  every_ms?: number
}

/** The three kinds of diagnoses of a check. @param found loses its full stop, which whoever shows it with the advice adds */
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
