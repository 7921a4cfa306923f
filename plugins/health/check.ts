// The check of routes for the doctor: what fails now, as the gateway that runs here or elsewhere has written it.
import { type Diagnosis, diagnosesOf, type ReadContext } from '../../src/app/checks/check.ts'
import { openToRead } from '../../src/app/checks/database.ts'
import { readAll } from './stored-states.ts'
import { outagesOf } from './troubles.ts'

const { ok, fail } = diagnosesOf('routes')

/** @returns none without a database that can be read, which its own check reports */
export async function checkRoutes({
  data_folder,
  storage,
  catalogue,
  now,
}: ReadContext): Promise<Diagnosis[]> {
  await using db = await openToRead({ data_folder, storage })
  if (!db) return []
  const { troubles } = outagesOf(catalogue, await readAll(db), now())
  if (troubles.length === 0) return [ok('no route is failing')]
  return troubles.map(({ kind, name, verb, detail, provider }) =>
    fail(
      `${name} ${verb}: ${detail.replace(/\.$/, '')}`,
      kind === 'key'
        ? `Replace the key of ${provider}, then test it: \`tollgate providers test ${provider}\`.`
        : `Test it: \`tollgate providers test${provider === null ? '' : ` ${provider}`}\`, or read its failed calls in the console.`,
    ),
  )
}
