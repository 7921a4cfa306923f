// The terms of service at sign-up: which ones are in force, and who accepted which.
import type { ActionContext } from '../../src/domain/actions.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { signUpSettings } from './settings.ts'
import { terms_acceptances } from './tables.ts'

export interface Terms {
  url: string
  /** As the operator names it; empty: they name none. */
  version: string
}

/** The terms that are in force; undefined where the operator has none. */
export function currentTerms(catalogue: Pick<Catalogue, 'brand' | 'sections'>): Terms | undefined {
  const { terms_url: url } = catalogue.brand
  return url === undefined ? undefined : { url, version: signUpSettings.of(catalogue).terms_version ?? '' }
}

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(terms_acceptances)
      .values(placeholders('account_id', 'person_id', 'url', 'version', 'accepted_at_ms'))
      .prepare(),
})

/** Keeps which terms a person accepted. In the caller's transaction. */
export async function recordTerms(
  tx: Tx,
  { account_id, person_id, terms }: { account_id: number; person_id: number; terms: Terms },
  by: ActionContext,
): Promise<void> {
  await queries(tx).insert.run({ account_id, person_id, ...terms, accepted_at_ms: by.now_ms })
  await recordAction(tx, { action: 'terms.accepted', account_id, after: { ...terms } }, by)
}
