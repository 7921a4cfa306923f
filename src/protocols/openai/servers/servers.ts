// The known servers of chat completions that differ in what may be sent to them, and which one a provider is.

import { knownServerOf, type ProviderAddress, serverNameOf } from '../../../domain/servers/lookup.ts'
import { lookUp } from '../../wire/json.ts'
import { RULES } from './rules.ts'

/** The server with rules that a provider is; undefined for all others. */
export function serverOf(provider: ProviderAddress): string | undefined {
  const name = serverNameOf(provider)
  return lookUp(RULES, name) && name
}

/** Whether a provider speaks the Responses API by default, without an entry in the catalogue. */
export const speaksResponses = (provider: ProviderAddress): boolean =>
  knownServerOf(provider)?.responses_at?.test(provider.base_url) === true

/** Whether a model is served in the Responses API, where its provider speaks that. */
export const servesResponses = (provider: ProviderAddress, model: string): boolean =>
  knownServerOf(provider)?.responses_models?.test(model) !== false

/** Whether a provider's chat completions have all that responses has. */
export const reasonsInChat = (provider: ProviderAddress): boolean =>
  knownServerOf(provider)?.reasons_in_chat === true
