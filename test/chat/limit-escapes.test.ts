// Calls whose limit a server reads otherwise than the gateway: 0, which some take for no limit, and a second name that some fold into the first.
import { describe, expect, test } from 'bun:test'
import { type Script, whole } from '../support/upstream.ts'
import { chatScene, MODEL, messages } from './support.ts'

const { gateway, upstream, post, expectCounts, counts } = await chatScene()

const NO_LIMIT_TOKENS = 12_500

/** As Ollama does: names fold, the last of them counts, and 0 or nothing is no limit. Each such call costs 0.05 USD. */
const foldingServer: Script = ({ body }) => {
  const limits = [...body.toString().matchAll(/"max_to[k\u212a]ens":(\d+)/gi)].map(([, limit]) =>
    Number(limit),
  )
  const completion_tokens = limits.at(-1) || NO_LIMIT_TOKENS
  return whole({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens },
  })
}

describe('calls at once on an account of 0.01 USD get nothing for free', () => {
  test.each([
    ['max_tokens', '"max_tokens":0'],
    ['max_completion_tokens', '"max_completion_tokens":0'],
    ['MAX_TOKENS', `"max_tokens":1,"MAX_TOKENS":${NO_LIMIT_TOKENS}`],
    ['max_to\u212aens', `"max_tokens":1,"max_to\u212aens":${NO_LIMIT_TOKENS}`],
    ['max_tokens', `"max_tokens":${NO_LIMIT_TOKENS},"max_tokens":1`],
  ])('%s: %s', async (field, limit) => {
    upstream.answer(foldingServer)
    const key = await gateway.caller('0.01')
    const before = counts()
    const body = `{"model":"${MODEL}","messages":${JSON.stringify(messages)},${limit}}`
    const refusals = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const response = await post(body, { key })
        const { error } = (await response.json()) as { error?: { param: string } }
        return `${response.status} ${error?.param}`
      }),
    )
    expect(new Set(refusals)).toEqual(new Set([`400 ${field}`]))
    await expectCounts(before)
  })
})
