// The display name of a person.
import { invalidRequest } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Tx } from '../store/db.ts'
import type { PersonRow } from '../store/schema.ts'
import { unseenIn } from '../utilities/visible-text.ts'
import { peopleQueries } from './people-queries.ts'

const MAX_NAME_CHARS = 100

/** Trims and validates a name. @throws GatewayError invalid_request */
export function personsName(text: string): string {
  const name = text.trim()
  const unseen = unseenIn(name)
  if (unseen !== undefined)
    throw invalidRequest(`name: has an invisible character (${unseen}). Remove it.`, { param: 'name' })
  const chars = [...name].length
  if (chars > 0 && chars <= MAX_NAME_CHARS) return name
  throw invalidRequest(`name: must have 1 to ${MAX_NAME_CHARS} characters.`, { param: 'name' })
}

/** Renames a person, in a transaction that has locked them. @param name result of `personsName` */
export async function renamePerson(
  tx: Tx,
  { person_id, name, account_id }: { person_id: number; name: string; account_id: number | undefined },
): Promise<void> {
  const { byId, setName } = peopleQueries(tx)
  const before: PersonRow | undefined = await byId.get({ id: person_id })
  if (!before || before.name === name) return
  await setName.run({ id: person_id, name })
  await recordAction(tx, {
    action: 'person.renamed',
    account_id,
    before: { name: before.name },
    after: { name },
  })
}
