// The agent's request of the bench: an exact length, and a history that a provider would accept.
import { describe, expect, test } from 'bun:test'
import { agentBody, CALL_MARK } from './agent.ts'

interface Block {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
}

describe.each([40_000, 85_000, 500_000])('a body of %d bytes', (size_bytes) => {
  const body = agentBody('agent', size_bytes)

  test('has the requested length, and the same bytes every time', () => {
    expect(Buffer.byteLength(body)).toBe(size_bytes)
    expect(agentBody('agent', size_bytes)).toBe(body)
  })

  test('has places for the number of the call in its last two messages alone', () => {
    const { messages } = JSON.parse(body) as { messages: object[] }
    const numbered = messages.filter((message) => JSON.stringify(message).includes(CALL_MARK))
    expect(numbered).toEqual(messages.slice(-2))
  })

  test('has 20 tools, and a result for each use of one', () => {
    const { tools, messages } = JSON.parse(body) as {
      tools: { name: string }[]
      messages: { role: string; content: Block[] }[]
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(20)
    expect(messages[0]?.role).toBe('user')
    for (const [index, { role, content }] of messages.entries()) {
      if (role !== 'assistant') continue
      const uses = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
      expect(uses).toHaveLength(1)
      expect(messages[index + 1]?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(uses)
    }
  })
})
