// The doctor's check of routes: failures now, from the states that running gateways have stored.
import { type Diagnosis, diagnosesOf, type ReadContext } from '../../src/app/checks/check.ts'
import { openToRead } from '../../src/app/checks/database.ts'
import { readAll } from './stored-states.ts'
import { outagesOf } from './troubles.ts'

const { ok, fail } = diagnosesOf('routes')

/** Returns no findings if the database cannot be read, because another check reports this. */
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
