// A simulated provider for tests: waits take no time, and its events and waits are recorded.
import { createSimulator, type SimulatorEvent } from './index.ts'

export type Answer = {
  candidates?: { content?: { parts?: Part[]; role: string }; finishReason?: string; index: number }[]
  promptFeedback?: { blockReason: string }
  usageMetadata?: Record<string, unknown>
  modelVersion: string
  responseId: string
  error?: { code: number; message: string; status: string; details?: Record<string, unknown>[] }
}
type Part = {
  text?: string
  thought?: boolean
  thoughtSignature?: string
  functionCall?: { name: string; args: Record<string, unknown> }
  inlineData?: { mimeType: string; data: string }
}

export function createProvider() {
  const seen: SimulatorEvent[] = []
  const waits_ms: number[] = []
  const simulator = createSimulator({
    now: () => 0,
    sleep: async (ms, signal) => {
      waits_ms.push(ms)
      signal.throwIfAborted()
    },
    onEvent: (event) => seen.push(event),
  })
  const post = (path: string, body: unknown, init: RequestInit = {}) =>
    simulator.fetch(
      new Request(`http://provider/v1beta/models/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        ...init,
      }),
    )
  return {
    seen,
    waits_ms,
    fetch: simulator.fetch,
    post,
    whole: async (model: string, body: unknown): Promise<Answer> =>
      (await (await post(`${model}:generateContent`, body)).json()) as Answer,
    stream: async (model: string, body: unknown): Promise<Answer[]> =>
      payloadsOf(await (await post(`${model}:streamGenerateContent?alt=sse`, body)).text()).map((data) =>
        JSON.parse(data),
      ),
  }
}

/** The data of server-sent events that end with CR LF CR LF. */
export function payloadsOf(text: string): string[] {
  return text
    .split('\r\n\r\n')
    .filter((record) => record !== '')
    .map((record) => record.replace(/^data: /, ''))
}

export const ask = (text: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  ...more,
})

export const configured = (generationConfig: Record<string, unknown>, text = 'Why do tides rise?') =>
  ask(text, { generationConfig })

export const partsOf = (answers: Answer | Answer[]): Part[] =>
  [answers]
    .flat()
    .flatMap((answer) => answer.candidates?.flatMap(({ content }) => content?.parts ?? []) ?? [])

/** Visible text. */
export const textOf = (answers: Answer | Answer[]): string =>
  partsOf(answers)
    .filter(({ thought }) => !thought)
    .map(({ text }) => text ?? '')
    .join('')
