// Encrypted reasoning: a provider's own, marked with the key that issued it, and other providers' signatures in the same field.
import type { Signature } from '../../canonical/parts.ts'
import { FORMATS, packSignature, type Signed, unpackSignature } from '../../signature.ts'
import { isObject, type Json, type JsonObject, stringIn } from '../../wire/json.ts'
import { gatewaySummary } from './compaction.ts'
import { describeImage, IMAGE_ITEM } from './image-items.ts'

const OWN_FORMAT = FORMATS.openai

export const isOwn = ({ format }: Signature): boolean => format === OWN_FORMAT

const MARK = /^([\s\S]*)~([\w-]{8})$/

/** @param issuer the mark of the provider's API key that the call used */
export const markIssuer = (encrypted: string, issuer: string): string =>
  MARK.test(encrypted) ? encrypted : `${encrypted}~${issuer}`

/** @returns the provider's own text, and the issuer if the text is marked */
function splitIssuer(encrypted: string): { encrypted: string; issuer: string | undefined } {
  const [, text = encrypted, issuer] = MARK.exec(encrypted) ?? []
  return { encrypted: text, issuer }
}

/** A signature for a provider's own encrypted reasoning. */
export const ownSignature = (encrypted: string): Signature => ({ format: OWN_FORMAT, value: encrypted })

/** Writes a signature of any provider as encrypted reasoning. */
export const writeEncrypted = (signature: Signature, signed: Signed): string =>
  packSignature(signature, signed, OWN_FORMAT)

/** Reads encrypted reasoning as a signature, and the kind of part that it belongs to. */
export const readEncrypted = (text: string): { signature: Signature; signed: Signed } =>
  unpackSignature(splitIssuer(text).encrypted, OWN_FORMAT)

/** The issuer of an item's encrypted reasoning; undefined if missing or unknown. */
export const issuerOfItem = (item: Json): string | undefined =>
  isObject(item) && typeof item.encrypted_content === 'string'
    ? splitIssuer(item.encrypted_content).issuer
    : undefined

/**
 * Prepares an input item for a provider of this protocol: removes ids that only the gateway knows, and reasoning that the provider
 * cannot read. Undefined if nothing is left; the same item if nothing has to change.
 *
 * @param forgets whether to leave out all encrypted reasoning
 */
export function itemForProvider(item: Json, forgets: boolean): Json | undefined {
  if (!isObject(item)) return item
  if (REFERS_TO_PROVIDER.has(item.type)) return undefined
  if (lacksImage(item)) return messageFor(item)
  if (item.type === 'reasoning' || item.type === 'compaction') return encryptedForProvider(item, forgets)
  if (item.id === undefined || !ID_IS_OPTIONAL.has(stringIn(item.type) ?? 'message')) return item
  const { id: _, ...rest } = item
  return rest
}

/** Items of hosted tools: they refer by id to data in a provider's store. */
const REFERS_TO_PROVIDER: ReadonlySet<Json | undefined> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
])

const lacksImage = ({ type, result }: JsonObject): boolean => type === IMAGE_ITEM && (result ?? null) === null

/** Describes an image in words; undefined if its prompt is unknown. */
function messageFor(item: JsonObject): JsonObject | undefined {
  const text = describeImage(item)
  if (text === undefined) return undefined
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
}

/** Items that are sent without their ids: the provider would look the ids up in its own store. */
const ID_IS_OPTIONAL: ReadonlySet<string> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
])

function encryptedForProvider({ id: _, ...item }: JsonObject, forgets: boolean): JsonObject | undefined {
  const summary = gatewaySummary(item)
  if (summary !== undefined) return { type: 'message', role: 'user', content: summary }
  const text = stringIn(item.encrypted_content)
  if (!text || forgets || readEncrypted(text).signature.format !== OWN_FORMAT) return undefined
  return { ...item, encrypted_content: splitIssuer(text).encrypted }
}
