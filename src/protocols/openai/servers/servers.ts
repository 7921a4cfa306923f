// Lookup of a provider's known server, and of the server's properties.

import { knownServerOf, type ProviderAddress, serverNameOf } from '../../../domain/servers/lookup.ts'
import { lookUp } from '../../wire/json.ts'
import { RULES } from './rules.ts'

/** The known server of a provider, if it has rules; undefined for all others. */
export function serverOf(provider: ProviderAddress): string | undefined {
  const name = serverNameOf(provider)
  return lookUp(RULES, name) && name
}

/** Whether a provider speaks the Responses API by default, without an entry in the catalogue. */
export const speaksResponses = (provider: ProviderAddress): boolean =>
  knownServerOf(provider)?.responses_at?.test(provider.base_url) === true

/** Whether a provider that speaks the Responses API offers a model there. */
export const servesResponses = (provider: ProviderAddress, model: string): boolean =>
  knownServerOf(provider)?.responses_models?.test(model) !== false

/** Whether a provider's chat completions have all features of responses. */
export const reasonsInChat = (provider: ProviderAddress): boolean =>
  knownServerOf(provider)?.reasons_in_chat === true
