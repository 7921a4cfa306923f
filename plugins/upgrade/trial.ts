// A trial of another executable before it replaces this one: it must run here, and its doctor must accept the data folder.
import { type Static, Type } from '@sinclair/typebox'
import type { Environment } from '../../src/catalogue/providers.ts'
import { conflict, type GatewayError, unprocessable } from '../../src/domain/errors.ts'
import { readJsonAs } from '../../src/domain/validation.ts'
import { codeOf, messageOf } from '../../src/utilities/thrown.ts'
import type { CheckedArchive } from './checked.ts'

const START_TIMEOUT_MS = 60_000
/** Enough to read a database of many gigabytes once. */
const DOCTOR_TIMEOUT_MS = 600_000

/** The fields of a finding that are used; other versions may add more. */
const Finding = Type.Object(
  {
    level: Type.String(),
    check: Type.String(),
    found: Type.String(),
    advice: Type.Union([Type.String(), Type.Null()]),
  },
  { additionalProperties: true },
)
export type Finding = Static<typeof Finding>
const Report = Type.Object({ findings: Type.Array(Finding) }, { additionalProperties: true })

const FOREIGN = 'it is for another system, processor or C library'

interface Output {
  out: string
  errors: string
  /** The reason why it did not start or was killed; undefined if it ended by itself. */
  failure: string | undefined
}

/** @throws GatewayError unprocessable if it does not run on this machine, or its version is not the archive's */
export async function requireRunnable(
  executable: string,
  { version, platform }: CheckedArchive,
  env: Environment,
): Promise<void> {
  const { out, errors, failure } = await run([executable, '--version'], env, START_TIMEOUT_MS)
  const reported_version = out.trim()
  if (reported_version === version) return
  const why =
    reported_version === ''
      ? (failure ?? errors.trim().split('\n').at(-1) ?? '')
      : `it says that it is ${reported_version}`
  throw unprocessable(
    `The executable for ${platform} does not run on this machine${why === '' ? '' : `: ${why}`}. Nothing was changed.`,
  )
}

/**
 * Runs the executable's doctor on the data folder's catalogue and database. The doctor writes nothing there.
 * @param is_older than the program in use: then it must confirm that it can read the database
 * @returns failures that do not prevent the upgrade, such as a mistake in the catalogue
 * @throws GatewayError conflict if it cannot read the database
 */
export async function requireReadableData(
  executable: string,
  { version }: CheckedArchive,
  { dir, env, is_older }: { dir: string; env: Environment; is_older: boolean },
): Promise<Finding[]> {
  const command = [executable, 'doctor', '--only', 'database', '--json', '--data', dir]
  const { out, errors, failure } = await run(command, env, DOCTOR_TIMEOUT_MS)
  const findings = readJsonAs(Report, out)?.findings
  if (!findings) throw unconfirmed(version, dir, failure ?? errors.trim())
  const schema = findings.filter(({ check }) => check === 'schema')
  const failed = findings.filter(({ level }) => level === 'fail')
  const unreadable = schema.find(({ level }) => level === 'fail')
  if (unreadable)
    throw conflict(
      `Tollgate ${version} cannot read the database of ${dir}: ${unreadable.found}. Nothing was changed. ` +
        'To go back, restore a backup of that version, or the copy of the database that the last migration kept, and keep this program until then.',
    )
  // Without any failure, the folder has no database yet.
  if (is_older && schema.length === 0 && failed.length > 0)
    throw unconfirmed(version, dir, failed.map(({ found }) => found).join('; '))
  return failed
}

const unconfirmed = (version: string, dir: string, why: string): GatewayError =>
  conflict(
    `Tollgate ${version} does not say whether it can read the database of ${dir}${why === '' ? '' : `: ${why}`}. Nothing was changed.`,
  )

async function run(command: readonly string[], env: Environment, timeout_ms: number): Promise<Output> {
  try {
    const child = Bun.spawn([...command], {
      env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: timeout_ms,
      killSignal: 'SIGKILL',
    })
    const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    await child.exited
    const { signalCode } = child
    return { out, errors, failure: signalCode === null ? undefined : `it was ended by ${signalCode}` }
  } catch (thrown) {
    // The file exists, so ENOENT means that its loader is missing.
    const is_foreign = /^(ENOENT|ENOEXEC)$/.test(codeOf(thrown))
    return { out: '', errors: '', failure: is_foreign ? FOREIGN : messageOf(thrown) }
  }
}
