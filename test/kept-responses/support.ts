// Shared parts of the tests of kept responses: a gateway with its store, and responses to keep.
import { afterAll } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { KeptResponse } from '../../src/responses/kept-responses.ts'
import type { KeptResponses } from '../../src/responses/store.ts'
import { gatewaySpy } from '../support/plugins.ts'
import { type Scene, type SceneOptions, scene } from '../support/scene.ts'

export interface ResponsesScene extends Scene {
  store: KeptResponses
  account_id: number
}

/** A scene with the gateway's own store of responses, in which a test keeps responses. */
export async function responsesScene(options: SceneOptions = {}): Promise<ResponsesScene> {
  const spy = gatewaySpy()
  const opened = await scene({ ...options, plugins: [...plugins, spy.plugin] })
  const account_id = opened.gateway.rows().accounts.at(-1)?.id ?? 0
  return { ...opened, store: spy.gateway().content.responses, account_id }
}

/** The same for all tests of a file. */
export async function fileResponsesScene(options: SceneOptions = {}): Promise<ResponsesScene> {
  const shared = await responsesScene(options)
  afterAll(() => shared[Symbol.asyncDispose]())
  return shared
}

export const user = (text: string): JsonObject => ({ role: 'user', content: text })

export const message = (id: string, text: string): JsonObject => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

/** A response to one message, whose answer repeats it. */
export function answerTo(
  id: string,
  account_id: number,
  more: Partial<KeptResponse> & { text?: string } = {},
): KeptResponse {
  const { text = `asked by ${id}`, ...rest } = more
  const { previous_id } = rest
  return {
    id,
    account_id,
    previous_id,
    created_at_ms: Date.now(),
    input: [user(text)],
    response: {
      id,
      object: 'response',
      status: 'completed',
      model: 'test-model',
      previous_response_id: previous_id ?? null,
      output: [message(`msg_${id}`, `You said: ${text.slice(0, 100)}`)],
    },
    ...rest,
  }
}

/** A text that makes a response larger than a row holds. */
export const LARGE = 'x'.repeat(100_000)
