// Extras as protocols have them: the rules by which a request's fields are judged, and the verbs that every protocol has.
import { type RequestedExtra, SERVICE_TIER } from '../domain/extras.ts'
import { type RequestedTier, STANDARD_TIER, tierNamed } from '../domain/service-tiers.ts'
import { isObject, type Json, type JsonObject, refusal } from './wire/json.ts'
import { reduce } from './wire/json-names.ts'

/** The counts of one answer, whole or event by event. */
export interface ExtrasCount {
  /** Takes the whole answer, or the next event of a stream. */
  read(answer: JsonObject): void
  /** Units of an extra so far; undefined if the provider counts none. */
  units(name: string): number | undefined
}

/** The verbs: the extras of a request, and how much of each the provider reports. */
export interface ExtrasProtocol {
  /** The extras that the catalogue may price, with the provider's unit of each; null without a count. */
  readonly units: Readonly<Record<string, string | null>>
  /** The top-level fields that this protocol has, as callers may write them. */
  readonly known_fields: ReadonlySet<string>
  /** The fields among them that are judged: sent twice, they could be read as one value here and as another upstream. */
  readonly decisive_fields: readonly string[]
  /**
   * The extras of a request, which the provider bills beyond tokens.
   * @param headers the caller's that the provider is to get too
   * @throws GatewayError invalid_request for tools of an unknown type, and for state that only a provider keeps
   */
  find(body: JsonObject, headers: Readonly<Record<string, string>>): readonly RequestedExtra[]
  /** As `find`, but only for state that a provider keeps: for requests that are not billed. */
  rejectRemembered(body: JsonObject): void
  /**
   * The same request with the caller's limits of units lowered, where the protocol has such limits.
   * @param max_units by the name of the extra; undefined if units are not limited
   */
  limitUnits?(body: JsonObject, max_units: (name: string) => number | undefined): JsonObject
  count(): ExtrasCount
  /** The caller's headers without what lets a prompt be longer than usual; the very same where nothing does. */
  withoutLongContext?(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** Absent where providers of this protocol have no service tiers. */
  readonly service_tier?: ServiceTierProtocol
}

/** How a protocol asks for service tiers, and how its answers name the one that served. */
export interface ServiceTierProtocol {
  /** Names of fields of which a whole answer, or an event, has one where it names a tier. */
  readonly answer_fields: readonly string[]
  /** The tier that a whole answer, or an event of a stream, names; undefined if it names none. */
  served(answer: JsonObject): string | undefined
  /** The same request asking for a tier; absent where the protocol has no tiers to ask for. */
  ask?(body: JsonObject, tier: string): JsonObject
}

/** Judges a field that is neither absent nor null. @param at the field as the caller wrote it @param found takes the extras */
export type FieldRule = (value: Json, at: string, found: RequestedExtra[]) => void

/** The rules of an object, by the name of the field; other fields have none. */
interface FieldRules {
  /** Fields that need no look at all, in the spelling of most callers. */
  readonly plain: ReadonlySet<string>
  /** By the name as most callers write it: the common ones need no folding. */
  readonly written: ReadonlyMap<string, FieldRule>
  /** By the name as `reduce` has it. */
  readonly folded: ReadonlyMap<string, FieldRule>
}

/** @param plain known fields without a rule of their own */
export function fieldRules(rules: Readonly<Record<string, FieldRule>>, plain: Iterable<string>): FieldRules {
  const written = new Map(Object.entries(rules))
  const by_folded = new Map([...written].map(([name, rule]) => [reduce(name), rule]))
  return {
    plain: new Set([...plain].filter((name) => !by_folded.has(reduce(name)))),
    written,
    folded: by_folded,
  }
}

/** Judges the fields of an object. @param within its place in the request; empty for the request itself */
export function judge(rules: FieldRules, object: JsonObject, within: string, found: RequestedExtra[]): void {
  for (const name in object) {
    if (rules.plain.has(name)) continue
    const rule = rules.written.get(name) ?? rules.folded.get(reduce(name))
    const value = object[name]
    if (rule && value !== undefined && value !== null)
      rule(value, within === '' ? name : `${within}.${name}`, found)
  }
}

/** The description of extras in a protocol's own folder. */
interface ExtrasTables
  extends Pick<ExtrasProtocol, 'units' | 'limitUnits' | 'count' | 'service_tier' | 'withoutLongContext'> {
  /** The top-level fields of the protocol that have no rule, as callers may write them. */
  fields: readonly string[]
  /** Of state that only a provider keeps, by the name of the field. */
  memory: Readonly<Record<string, FieldRule>>
  /** Of what is billed; where a field is in both, this one counts for requests that are billed. */
  bill: Readonly<Record<string, FieldRule>>
  /** The same for extras that headers request. */
  judgeHeaders?: (headers: Readonly<Record<string, string>>, found: RequestedExtra[]) => void
}

/** The verbs of a protocol over its tables. */
export function extrasFrom({ fields, memory, bill, judgeHeaders, ...verbs }: ExtrasTables): ExtrasProtocol {
  const rules = { ...memory, ...bill }
  const all = fieldRules(rules, fields)
  const memory_only = fieldRules(memory, fields)
  return {
    ...verbs,
    known_fields: new Set([...fields, ...Object.keys(rules)]),
    decisive_fields: Object.keys(rules),
    find(body, headers) {
      const found: RequestedExtra[] = []
      judge(all, body, '', found)
      judgeHeaders?.(headers, found)
      return found
    },
    rejectRemembered: (body) => judge(memory_only, body, '', []),
  }
}

const never = () => false

/** The rule of a field that is billed. @param isHarmless whether a value changes nothing of the bill */
export const billed =
  (name: string, isHarmless: (value: Json) => boolean = never): FieldRule =>
  (value, at, found) => {
    if (!isHarmless(value)) found.push({ name, at, is_charged: true })
  }

/** The rule of a field that refers to state that only a provider keeps. */
export const remembered =
  (isHarmless: (value: Json) => boolean = never): FieldRule =>
  (value, at) => {
    if (!isHarmless(value)) throw rememberedRefusal(at)
  }

export const rememberedRefusal = (at: string) =>
  refusal(
    at,
    'refers to something stored at the provider, which is not available here. Send its content inline.',
  )

/** The refusal of a field that the protocol does not have, by a model that takes no such fields. */
export const unknownField = (name: string) =>
  refusal(name, 'is unknown, and this model refuses unknown fields. Leave it out.')

export const unknownTool = (at: string, taken: string) =>
  refusal(at, `is an unknown type of tool. Use one of ${taken}, or leave the tool out.`)

/** Whether a value is one of a few words, in either case. */
export const isOneOf =
  (...words: readonly string[]) =>
  (value: Json): boolean =>
    typeof value === 'string' && words.includes(value.toLowerCase())

export const isFalse = (value: Json): boolean => value === false
export const isEmptyObject = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0
export const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0

/** The rule of a field that requests a service tier. */
export const judgeServiceTier: FieldRule = (value, at, found) => {
  const tier = typeof value === 'string' ? (tierNamed(value) ?? STANDARD_TIER) : undefined
  if (tier !== STANDARD_TIER) found.push({ name: SERVICE_TIER, at, tier, is_charged: false })
}

/** The requested service tier, by the field of its protocol; undefined for the standard one. */
export function requestedTier(body: JsonObject, ...fields: readonly string[]): RequestedTier | undefined {
  for (const at of fields) {
    const name = tierNamed(body[at])
    if (name !== undefined && name !== STANDARD_TIER) return { name, at }
  }
  return undefined
}

/**
 * The tools of a list: the very same one.
 * @throws GatewayError invalid_request for another value, for items that are no objects, and for another spelling of `type`,
 * which some servers would read in its place
 */
export function toolsIn(value: Json, at: string): readonly JsonObject[] {
  if (!Array.isArray(value)) throw refusal(at, 'must be an array.')
  for (const [index, tool] of value.entries()) {
    if (!isObject(tool)) throw refusal(`${at}[${index}]`, 'must be an object.')
    for (const name in tool)
      if (name !== 'type' && name.length === 4 && name.toLowerCase() === 'type')
        throw refusal(`${at}[${index}].${name}`, 'must be written "type".')
  }
  return value as JsonObject[]
}
