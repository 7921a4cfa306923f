// The form of a provider's requests: its server software, and the fields that the operator drops and sets.
import type { Provider } from '../../../domain/catalogue.ts'
import { protocolOf, type Registry } from '../../../protocols/registry.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'

/** Plain values, which can be sent to a thread. */
export interface ProviderForm {
  readonly server: string | undefined
  readonly drop_fields: readonly string[]
  readonly set_fields: JsonObject
  /** The most tokens of `set_fields`: one for each byte. */
  readonly set_tokens: number
}

/** Reloading the catalogue creates new providers. */
const FORMS = new WeakMap<Provider, ProviderForm | 'plain'>()

/** Returns undefined for a provider of an unknown server without such fields. */
export function formOf(protocols: Registry, provider: Provider): ProviderForm | undefined {
  const known = FORMS.get(provider) ?? readForm(protocols, provider)
  FORMS.set(provider, known)
  return known === 'plain' ? undefined : known
}

function readForm(protocols: Registry, provider: Provider): ProviderForm | 'plain' {
  const server = protocolOf(protocols, provider).serverOf?.(provider)
  const { drop_fields = [], set_fields = {} } = provider
  const is_plain = server === undefined && drop_fields.length === 0 && Object.keys(set_fields).length === 0
  if (is_plain) return 'plain'
  const set = JSON.stringify(set_fields)
  return {
    server,
    drop_fields,
    set_fields: JSON.parse(set),
    set_tokens: set === '{}' ? 0 : Buffer.byteLength(set),
  }
}
