// Kept responses as the rest of the gateway uses them: the state of conversations, which is ours and no provider's.
import type { JsonObject } from '../protocols/wire/json.ts'

export interface KeptResponse {
  id: string
  account_id: number
  previous_id: string | undefined
  created_at_ms: number
  /** As the caller sent them, previous ones left out. */
  input: JsonObject[]
  /** The response object as it was answered. */
  response: JsonObject
}

export interface ResponseStore {
  /** Whether the operator lets responses be kept. */
  readonly enabled: boolean
  keep(kept: KeptResponse): Promise<void>
  /** undefined for another account's, deleted, expired */
  find(account_id: number, id: string): Promise<KeptResponse | undefined>
  remove(account_id: number, id: string): Promise<boolean>
  /** All items of the conversation up to and with this response (inputs and outputs of the chain, oldest first); undefined as `find`. */
  itemsUntil(account_id: number, id: string): Promise<JsonObject[] | undefined>
}
