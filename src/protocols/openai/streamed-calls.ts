// The order of the tool calls of one streamed candidate: their pieces may interleave, which other protocols cannot express.

import type { PartStart } from '../canonical/answer.ts'
import { hasNoArguments } from '../canonical/parts.ts'
import { parseObject } from '../wire/json.ts'

interface ChunkPiece {
  /** The call's number in its candidate. */
  readonly index: number
  /** The call's id and name, in its first piece. */
  readonly start: PartStart | undefined
  readonly json: string
}

/** An ordered piece: all pieces of a call come before the next call. */
export interface CallPiece {
  readonly key: string
  readonly start: PartStart | undefined
  readonly json: string
}

interface Call {
  readonly key: string
  readonly start: PartStart
  /** The arguments so far; for a waiting call, they are still unwritten. */
  json: string
  state: 'waiting' | 'open' | 'over'
}

export class StreamedCalls {
  readonly #calls = new Map<number, Call>()

  get count(): number {
    return this.#calls.size
  }

  has(index: number): boolean {
    return this.#calls.has(index)
  }

  /**
   * Adds the next piece. A call that begins while another is incomplete waits for that one.
   * @param isOpen whether the part with a key is open
   * @returns the pieces to write now, in order; undefined for a piece of a call that has ended
   */
  write({ index, start, json }: ChunkPiece, isOpen: (key: string) => boolean): CallPiece[] | undefined {
    const open = this.#open()
    if (start) {
      const is_busy = open !== undefined && isOpen(open.key) && !isComplete(open)
      const call: Call = { key: `tool ${index}`, start, json, state: 'waiting' }
      this.#calls.set(index, call)
      return is_busy ? [] : [begin(call, open)]
    }
    const call = this.#calls.get(index)
    if (!call || call.state === 'over' || (call.state === 'open' && !isOpen(call.key)))
      return json === '' ? [] : undefined
    call.json += json
    if (call.state === 'waiting') return []
    return [{ key: call.key, start: undefined, json: hasNoArguments(call.json) ? '' : json }, ...this.#next()]
  }

  /** Ends the open call and returns the waiting calls, at the end of the answer. */
  rest(): CallPiece[] {
    return this.#waiting().map((call) => begin(call, this.#open()))
  }

  /** The calls that waited for a call which is now complete. */
  #next(): CallPiece[] {
    const pieces: CallPiece[] = []
    for (const call of this.#waiting()) {
      const open = this.#open()
      if (open && !isComplete(open)) break
      pieces.push(begin(call, open))
    }
    return pieces
  }

  #open(): Call | undefined {
    return this.#calls.values().find(({ state }) => state === 'open')
  }

  #waiting(): Call[] {
    return this.#calls
      .values()
      .filter(({ state }) => state === 'waiting')
      .toArray()
  }
}

/** @param open the previous call, which ends here */
function begin(call: Call, open: Call | undefined): CallPiece {
  if (open) open.state = 'over'
  call.state = 'open'
  return { key: call.key, start: call.start, json: hasNoArguments(call.json) ? '' : call.json }
}

/** A complete JSON object cannot continue. A call without arguments may still get some. */
const isComplete = ({ json }: Call): boolean => json.endsWith('}') && parseObject(json) !== undefined
