// State on the provider's side: fields that name something only the provider keeps, and their fate.
import { type FieldRule, remembered } from './extras.ts'

/**
 * `refused`: some account's request made it, and any other could name it. `priced`: only the operator can have made it, and the
 * provider bills it: it passes to models with a price for it. `passes`: only the operator can have made it. `own`: it
 * reaches nothing that the request does not bring itself. `not kept`: it is sent so that the provider keeps nothing.
 */
export type StateFate = 'refused' | 'priced' | 'passes' | 'own' | 'not kept'

interface NamedState {
  readonly fate: StateFate
  /** The thing that the field names. */
  readonly what: string
}

/** By the field, as callers write it, with `[]` for each item of a list. */
export type StateTable = Readonly<Record<string, NamedState>>

/** The rules of those top-level fields of a table that are refused whatever their value is. */
export const refusedFields = (table: StateTable): Readonly<Record<string, FieldRule>> =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([field, { fate }]) => fate === 'refused' && /^\w+$/.test(field))
      .map(([field]) => [field, remembered()]),
  )
