// The known servers of chat completions that differ in what may be sent to them, and which one a provider is.
import type { Provider } from '../../../domain/catalogue.ts'
import { knownServerOf, serverNameOf } from '../../../domain/servers/lookup.ts'
import { RULES, type RuledServer } from './rules.ts'

/** What tells the server of a provider. */
type Addressed = Pick<Provider, 'base_url' | 'server'>

const PROTOCOL = 'openai'

export const isRuled = (name: string | undefined): name is RuledServer =>
  name !== undefined && Object.hasOwn(RULES, name)

/** The names of servers that have rules. */
export const RULED_SERVERS: readonly RuledServer[] = Object.keys(RULES).filter(isRuled)

/** The server whose rules hold for a provider; undefined for all others. */
export function serverOf(provider: Addressed): RuledServer | undefined {
  const name = serverNameOf({ ...provider, protocol: PROTOCOL })
  return isRuled(name) ? name : undefined
}

/** Whether a provider is asked in the Responses API where the catalogue says nothing about it. */
export const speaksResponses = (provider: Addressed): boolean =>
  knownServerOf({ ...provider, protocol: PROTOCOL })?.responses_at?.test(provider.base_url) === true

/** Whether a model is served in the Responses API, where its provider speaks that. */
export const servesResponses = (provider: Addressed, model: string): boolean =>
  knownServerOf({ ...provider, protocol: PROTOCOL })?.responses_models?.test(model) !== false

/** Whether a provider's chat completions have all that responses has. */
export const reasonsInChat = (provider: Addressed): boolean =>
  knownServerOf({ ...provider, protocol: PROTOCOL })?.reasons_in_chat === true
