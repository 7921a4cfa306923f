// A connection's memory of its responses, kept or not: the latest of each lane.
// https://developers.openai.com/api/docs/guides/websocket-mode, "How continuation works"
import { type JsonObject, objectsIn } from '../../protocols/wire/json.ts'
import type { KeptResponse } from '../../responses/kept-responses.ts'
import { createPace, decodeLines, encodeLines } from '../../responses/lines.ts'
import { createSharedBytes, type SharedBytes } from '../../utilities/shared-bytes.ts'

/** One turn, and through `previous` the whole conversation. */
export interface Remembered {
  readonly id: string
  /** The response and its input items as JSON lines. */
  readonly lines: Uint8Array
  /** The size of all turns. */
  readonly conversation_bytes: number
  readonly previous: Remembered | undefined
  /** Whether it is also stored, so that other connections can continue it. */
  readonly is_kept: boolean
}

/** A turn to remember. */
interface NewTurn extends Pick<KeptResponse, 'id' | 'input' | 'response'> {
  previous: Remembered | undefined
  is_kept: boolean
}

/** One lane's access to its connection's memory. */
export interface RecentResponses {
  /** Finds a response that is the latest of any lane. */
  find(id: string): Remembered | undefined
  /** Remembers a turn in place of this lane's earlier one. */
  remember(turn: NewTurn): Promise<void>
}

/** About eighty agent conversations of the longest context. */
const MEMORY_BYTES = 128 * 1024 * 1024
/** A larger conversation could not be sent in one message either. */
const MAX_CONVERSATION_BYTES = 16 * 1024 * 1024

/** Creates the memory that all connections share. */
export const createRecentMemory = (): SharedBytes => createSharedBytes(MEMORY_BYTES)

interface RecentOptions {
  memory: SharedBytes
  account_id: number
  /** Called if a response that is not kept could not be remembered: its caller must send the conversation again. */
  onForgotten: () => void
}

/** The memory of one connection. */
export class RecentOfConnection {
  readonly #options: RecentOptions
  readonly #latest = new Map<string, Remembered>()
  #is_over = false

  constructor(options: RecentOptions) {
    this.#options = options
  }

  lane(name: string): RecentResponses {
    return {
      find: (id) => this.#latest.values().find((turn) => turn.id === id),
      remember: (turn) => this.#remember(name, turn),
    }
  }

  /** Frees the memory at the end of the connection. */
  forget(): void {
    this.#is_over = true
    for (const name of [...this.#latest.keys()]) this.#drop(name)
  }

  async #remember(lane: string, { id, input, response, previous, is_kept }: NewTurn): Promise<void> {
    const lines = Buffer.concat(await encodeLines({ response: { output: response.output ?? [] }, input }))
    if (this.#is_over) return
    this.#drop(lane)
    const conversation_bytes = (previous?.conversation_bytes ?? 0) + lines.length
    const { memory, account_id, onForgotten } = this.#options
    if (conversation_bytes <= MAX_CONVERSATION_BYTES && memory.take(account_id, conversation_bytes))
      this.#latest.set(lane, { id, lines, conversation_bytes, previous, is_kept })
    else if (!is_kept) onForgotten()
  }

  #drop(lane: string): void {
    const turn = this.#latest.get(lane)
    if (!turn) return
    this.#latest.delete(lane)
    this.#options.memory.give(this.#options.account_id, turn.conversation_bytes)
  }
}

/** Returns all items of a conversation, the oldest first. */
export async function itemsUntil(last: Remembered): Promise<JsonObject[]> {
  const turns: Remembered[] = []
  for (let turn: Remembered | undefined = last; turn; turn = turn.previous) turns.push(turn)
  const items: JsonObject[] = []
  const pace = createPace()
  for (const { lines } of turns.reverse()) {
    const { input, response } = await decodeLines(lines)
    for (const item of input) items.push(item)
    for (const item of objectsIn(response.output)) items.push(item)
    await pace(lines.length)
  }
  return items
}
