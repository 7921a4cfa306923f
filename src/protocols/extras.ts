// Extras of a protocol: the rules that check a request's fields, and the functions that every protocol has for extras.
import { type RequestedExtra, SERVICE_TIER } from '../domain/extras.ts'
import { type RequestedTier, STANDARD_TIER, tierNamed } from '../domain/service-tiers.ts'
import { isObject, type Json, type JsonObject, refusal } from './wire/json.ts'
import { reduce } from './wire/json-names.ts'

/** The units in one answer, whole or event by event. */
export interface ExtrasCount {
  /** Reads the whole answer, or the next event of a stream. */
  read(answer: JsonObject): void
  /** Units of an extra so far; undefined if the provider does not count them. */
  units(name: string): number | undefined
}

/** Finds the extras of a request, and counts the units that the provider reports. */
export interface ExtrasProtocol {
  /** The extras that the catalogue may price, with the provider's unit of each; null without a count. */
  readonly units: Readonly<Record<string, string | null>>
  /** All top-level fields of the protocol, as callers may spell them. */
  readonly known_fields: ReadonlySet<string>
  /** The known fields with a rule. If one is sent twice, the gateway and the provider could read different values. */
  readonly decisive_fields: readonly string[]
  /**
   * Finds the extras of a request, which the provider bills beyond tokens.
   * @param headers the caller's headers that are passed on to the provider
   * @throws GatewayError invalid_request for tools of an unknown type, and for references to state stored at the provider
   */
  find(body: JsonObject, headers: Readonly<Record<string, string>>): readonly RequestedExtra[]
  /** Checks only for references to state stored at the provider, for requests that are not billed. */
  rejectRemembered(body: JsonObject): void
  /**
   * The request with the caller's unit limits lowered, if the protocol has such limits.
   * @param max_units by the name of the extra; undefined if units are not limited
   */
  limitUnits?(body: JsonObject, max_units: (name: string) => number | undefined): JsonObject
  count(): ExtrasCount
  /** The caller's headers without those that allow a longer prompt than usual; the same object if none exist. */
  withoutLongContext?(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** Absent if providers of this protocol have no service tiers. */
  readonly service_tier?: ServiceTierProtocol
}

/** Service tiers of a protocol: how requests ask for one, and how answers name the one that served. */
export interface ServiceTierProtocol {
  /** Fields of which an answer or event that names a tier has at least one. */
  readonly answer_fields: readonly string[]
  /** The tier that an answer, or an event of a stream, names; undefined if it names none. */
  served(answer: JsonObject): string | undefined
  /** The request with a tier set; absent if the protocol's requests cannot ask for one. */
  ask?(body: JsonObject, tier: string): JsonObject
}

/** Checks a field that is neither absent nor null. @param at the field as the caller wrote it @param found receives the extras */
export type FieldRule = (value: Json, at: string, found: RequestedExtra[]) => void

/** The rules of an object's fields. */
interface FieldRules {
  /** Fields without a rule, in the usual spelling. */
  readonly plain: ReadonlySet<string>
  /** By the usual spelling of the name, so that most fields need no folding. */
  readonly written: ReadonlyMap<string, FieldRule>
  /** By the name as `reduce` folds it. */
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

/** Applies rules to the fields of an object. @param within its place in the request; empty for the request itself */
export function applyRules(
  rules: FieldRules,
  object: JsonObject,
  within: string,
  found: RequestedExtra[],
): void {
  for (const name in object) {
    if (rules.plain.has(name)) continue
    const rule = rules.written.get(name) ?? rules.folded.get(reduce(name))
    const value = object[name]
    if (rule && value !== undefined && value !== null)
      rule(value, within === '' ? name : `${within}.${name}`, found)
  }
}

/** The extras of one protocol, described in its own folder. */
interface ExtrasTables
  extends Pick<ExtrasProtocol, 'units' | 'limitUnits' | 'count' | 'service_tier' | 'withoutLongContext'> {
  /** The top-level fields of the protocol that have no rule, as callers may spell them. */
  fields: readonly string[]
  /** Rules for state stored at the provider, by field. */
  memory: Readonly<Record<string, FieldRule>>
  /** Rules for billed fields. If a field is in both tables, this one applies to requests that are billed. */
  bill: Readonly<Record<string, FieldRule>>
  /** Finds extras that headers request. */
  judgeHeaders?: (headers: Readonly<Record<string, string>>, found: RequestedExtra[]) => void
}

/** Builds a protocol's extras from its tables. */
export function extrasFrom({ fields, memory, bill, judgeHeaders, ...others }: ExtrasTables): ExtrasProtocol {
  const rules = { ...memory, ...bill }
  const all = fieldRules(rules, fields)
  const memory_only = fieldRules(memory, fields)
  return {
    ...others,
    known_fields: new Set([...fields, ...Object.keys(rules)]),
    decisive_fields: Object.keys(rules),
    find(body, headers) {
      const found: RequestedExtra[] = []
      applyRules(all, body, '', found)
      judgeHeaders?.(headers, found)
      return found
    },
    rejectRemembered: (body) => applyRules(memory_only, body, '', []),
  }
}

const never = () => false

/** The rule of a billed field. @param isHarmless whether a value does not change the bill */
export const billedRule =
  (name: string, isHarmless: (value: Json) => boolean = never): FieldRule =>
  (value, at, found) => {
    if (!isHarmless(value)) found.push({ name, at, is_charged: true })
  }

/** The rule of a field that may refer to state stored at the provider. */
export const storedStateRule =
  (isHarmless: (value: Json) => boolean = never): FieldRule =>
  (value, at) => {
    if (!isHarmless(value)) throw storedStateRefusal(at)
  }

export const storedStateRefusal = (at: string) =>
  refusal(
    at,
    'refers to something stored at the provider, which is not available here. Send its content inline.',
  )

/** The error for an unknown field, for models that accept no unknown fields. */
export const unknownField = (name: string) =>
  refusal(name, 'is unknown, and this model refuses unknown fields. Leave it out.')

export const unknownTool = (at: string, taken: string) =>
  refusal(at, `is an unknown type of tool. Use one of ${taken}, or leave the tool out.`)

/** Whether a value is one of a few words, ignoring case. */
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

/** The requested service tier, from the first of the fields that names one; undefined for the standard one. */
export function requestedTier(body: JsonObject, ...fields: readonly string[]): RequestedTier | undefined {
  for (const at of fields) {
    const name = tierNamed(body[at])
    if (name !== undefined && name !== STANDARD_TIER) return { name, at }
  }
  return undefined
}

/**
 * Returns the tools of a list, unchanged.
 * @throws GatewayError invalid_request for a value that is no list, for an item that is no object, and for another spelling of
 * `type`, which some servers would read as `type`
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
