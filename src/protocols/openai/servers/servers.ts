// The known servers of chat completions that differ in what may be sent to them, and which one a provider is.

import type { Provider } from '../../../domain/catalogue.ts'
import type { KnownServer } from '../../../domain/servers/known-server.ts'
import { knownServerOf, serverNameOf } from '../../../domain/servers/lookup.ts'
import { lookUp } from '../../wire/json.ts'
import { RULES } from './rules.ts'

/** The fields of a provider that decide its server. */
type Addressed = Pick<Provider, 'base_url' | 'server'>

const PROTOCOL = 'openai'

const rowOf = (provider: Addressed): KnownServer | undefined =>
  knownServerOf({ ...provider, protocol: PROTOCOL })

/** The server with rules that a provider is; undefined for all others. */
export function serverOf(provider: Addressed): string | undefined {
  const name = serverNameOf({ ...provider, protocol: PROTOCOL })
  return lookUp(RULES, name) && name
}

/** Whether a provider speaks the Responses API by default, without an entry in the catalogue. */
export const speaksResponses = (provider: Addressed): boolean =>
  rowOf(provider)?.responses_at?.test(provider.base_url) === true

/** Whether a model is served in the Responses API, where its provider speaks that. */
export const servesResponses = (provider: Addressed, model: string): boolean =>
  rowOf(provider)?.responses_models?.test(model) !== false

/** Whether a provider's chat completions have all that responses has. */
export const reasonsInChat = (provider: Addressed): boolean => rowOf(provider)?.reasons_in_chat === true
