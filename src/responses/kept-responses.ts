// The interface of kept responses: conversations whose state the gateway keeps, not a provider.
import type { JsonObject } from '../protocols/wire/json.ts'

export interface KeptResponse {
  id: string
  account_id: number
  previous_id: string | undefined
  created_at_ms: number
  /** The items as the caller sent them, without those of previous responses. */
  input: JsonObject[]
  /** The response object as the caller got it. */
  response: JsonObject
}

export interface ResponseStore {
  /** Whether the operator allows responses to be kept. */
  readonly enabled: boolean
  keep(kept: KeptResponse): Promise<void>
  /** @returns undefined for an unknown, deleted or expired response, and for one of another account */
  find(account_id: number, id: string): Promise<KeptResponse | undefined>
  remove(account_id: number, id: string): Promise<boolean>
  /** All items of the conversation up to and including this response, oldest first; undefined as for `find`. */
  itemsUntil(account_id: number, id: string): Promise<JsonObject[] | undefined>
}
