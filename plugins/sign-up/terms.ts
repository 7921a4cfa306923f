// The terms of service that new people accept: the current ones, and the record of each acceptance.
import type { Terms } from '../../src/app/surface/console/terms.ts'
import type { TermsOfService } from '../../src/app/surface/gateway.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { conflict, invalidRequest } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { signUpSettings } from './settings.ts'
import { terms_acceptances } from './tables.ts'

export type { Terms }

/** The current terms; undefined if the operator has none. */
export function currentTerms(catalogue: Pick<Catalogue, 'brand' | 'sections'>): Terms | undefined {
  const { terms_url: url } = catalogue.brand
  return url === undefined ? undefined : { url, version: signUpSettings.of(catalogue).terms_version ?? '' }
}

/** @throws GatewayError invalid_request if the terms were not accepted; conflict if other terms were */
export function requireTerms(current: Terms | undefined, accepted: Terms | null): void {
  if (current === undefined) return
  if (accepted === null)
    throw invalidRequest('Accept the terms of service to continue.', {
      param: 'terms',
      code: 'terms_not_accepted',
    })
  if (accepted.url !== current.url || accepted.version !== current.version)
    throw conflict('The terms of service have changed. Reload the page and read them again.', {
      param: 'terms',
      code: 'terms_changed',
    })
}

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(terms_acceptances)
      .values(placeholders('account_id', 'person_id', 'url', 'version', 'accepted_at_ms')),
})

/** Records which terms a person accepted. In the caller's transaction. */
export async function recordTerms(
  tx: Tx,
  { account_id, person_id, terms }: { account_id: number; person_id: number; terms: Terms },
  by: ActionContext,
): Promise<void> {
  await queries(tx).insert.run({ account_id, person_id, ...terms, accepted_at_ms: by.now_ms })
  await recordAction(tx, { action: 'terms.accepted', account_id, after: { ...terms } }, by)
}

/** The terms for other plugins that create people. */
export const termsOfService = (catalogue: () => Catalogue): TermsOfService => ({
  current: () => currentTerms(catalogue()),
  async accept(tx, { accepted, ...owner }, by) {
    const terms = currentTerms(catalogue())
    requireTerms(terms, accepted)
    if (terms) await recordTerms(tx, { ...owner, terms }, by)
  },
})
