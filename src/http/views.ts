// Amounts and times in JSON, exact and readable, each with its schema.
import { type TInteger, type TNull, type TString, type TUnion, Type } from '@sinclair/typebox'
import { formatUsd, type Nanos } from '../domain/money.ts'
import { Nullable } from './schema.ts'

type MoneyView<Name extends string, N, Usd> = { [K in `${Name}_nanos`]: N } & { [K in `${Name}_usd`]: Usd }
type TimeView<Name extends string, Ms, Text> = { [K in `${Name}_at_ms`]: Ms } & { [K in `${Name}_at`]: Text }

/** Writes an amount in both forms: `cost_nanos`, exact, and `cost_usd`, readable. */
export function money<Name extends string, N extends Nanos | null>(name: Name, nanos: N) {
  return {
    [`${name}_nanos`]: nanos,
    [`${name}_usd`]: nanos === null ? null : formatUsd(nanos),
  } as MoneyView<Name, N, N extends null ? null : string>
}

/** Writes a time in both forms: `created_at_ms`, and `created_at` as ISO 8601 in UTC. */
export function time<Name extends string, Ms extends number | null>(name: Name, time_ms: Ms) {
  return {
    [`${name}_at_ms`]: time_ms,
    [`${name}_at`]: time_ms === null ? null : new Date(time_ms).toISOString(),
  } as TimeView<Name, Ms, Ms extends null ? null : string>
}

const amountOf = (what: string) => Type.Integer({ description: `${what}, in nano-dollars.` })
const Usd = Type.String({ description: 'The same amount in USD, as a decimal number.' })
const momentOf = (what: string) => Type.Integer({ description: `${what}, in milliseconds since 1970, UTC.` })
const IsoTime = Type.String({ description: 'The same time in UTC, as ISO 8601.' })

/** The schema of `money`. @param what the amount's description, for the API reference */
export const MoneyFields = <Name extends string>(name: Name, what = 'An amount') =>
  ({ [`${name}_nanos`]: amountOf(what), [`${name}_usd`]: Usd }) as MoneyView<Name, TInteger, TString>

/** The schema of `money` for an amount that may be null. */
export const NullableMoneyFields = <Name extends string>(name: Name, what = 'An amount') =>
  ({ [`${name}_nanos`]: Nullable(amountOf(what)), [`${name}_usd`]: Nullable(Usd) }) as MoneyView<
    Name,
    TUnion<[TInteger, TNull]>,
    TUnion<[TString, TNull]>
  >

/** The schema of `time`. @param what the time's description, for the API reference */
export const TimeFields = <Name extends string>(name: Name, what = 'A time') =>
  ({ [`${name}_at_ms`]: momentOf(what), [`${name}_at`]: IsoTime }) as TimeView<Name, TInteger, TString>

/** The schema of `time` for a time that may be null. */
export const NullableTimeFields = <Name extends string>(name: Name, what = 'A time') =>
  ({ [`${name}_at_ms`]: Nullable(momentOf(what)), [`${name}_at`]: Nullable(IsoTime) }) as TimeView<
    Name,
    TUnion<[TInteger, TNull]>,
    TUnion<[TString, TNull]>
  >
