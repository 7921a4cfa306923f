// An agent's request: 20 tools and a long history of their use, the same bytes in every run; only its last messages differ by call.

/** A turn of the messages protocol. */
interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly object[]
}

const VERBS = ['read', 'write', 'edit', 'search', 'list', 'run', 'fetch', 'move', 'test', 'review']
const NOUNS = ['file', 'agent']
const TOOL_NAMES = NOUNS.flatMap((noun) => VERBS.map((verb) => `${verb}_${noun}`))

const WORDS =
  `the a file line value request answer stream buffer parser when where before after each every must never
returns reads writes keeps changes fails holds result error limit and or of to in with without only once again — größer
naïve`.split(/\s+/)

/** Tool results are mostly code: quotes, backslashes and tabs, which JSON escapes, and brackets that are not structure. */
const STATEMENTS = [
  'const found = entries.find(({ name }) => name === "model")',
  "if (found === undefined) throw new RangeError('no such entry')",
  'return { ...found, path: [root, found.path].join("/"), tags: ["x", `y`] }',
  '// The index is built once; later writes append to it.',
  'for (const [index, row] of rows.entries()) total += row[index] ?? 0',
  'expect(render("a\\tb\\n")).toEqual(["a", "b"])',
]

/** A whole number from 0 up to, but not including, `below`. */
type Random = (below: number) => number

/** The same numbers in every run: a linear congruential generator with the constants of Numerical Recipes. */
function createRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const pick = (random: Random, from: readonly string[]): string => from[random(from.length)] ?? ''

const prose = (random: Random, words: number): string =>
  Array.from({ length: words }, () => pick(random, WORDS)).join(' ')

const code = (random: Random, lines: number): string =>
  Array.from(
    { length: lines },
    (_, line) => `${String(line + 1).padStart(5)}\t${'  '.repeat(random(4))}${pick(random, STATEMENTS)}\n`,
  ).join('')

function toolOf(random: Random, name: string): object {
  const described = (type: string, words: number) => ({ type, description: prose(random, words) })
  return {
    name,
    description: `${prose(random, 60)}.\n\n- ${prose(random, 15)}\n- ${prose(random, 15)}`,
    input_schema: {
      type: 'object',
      properties: {
        path: described('string', 14),
        pattern: described('string', 14),
        limit: described('number', 8),
        replace_all: { ...described('boolean', 8), default: false },
        edits: {
          type: 'array',
          items: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } } },
        },
        // As in the tool by which agents start another agent: a second key with the name that the gateway replaces.
        ...(name === 'run_agent' && { model: { type: 'string', enum: ['small', 'large'] } }),
      },
      required: ['path'],
      additionalProperties: false,
    },
  }
}

/** One use of a tool: what the model writes and calls, and what the tool returns. */
function toolUse(random: Random, index: number): Message[] {
  const id = `toolu_${String(index).padStart(24, '0')}`
  const input = {
    path: `/home/agent/project/src/part-${random(40)}/module-${random(400)}.ts`,
    pattern: prose(random, 3),
    limit: random(2_000),
  }
  return [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `${prose(random, 5 + random(40))}.` },
        { type: 'tool_use', id, name: pick(random, TOOL_NAMES), input },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: code(random, 2 + random(60)) }],
    },
  ]
}

/** Precedes the number of the call, which the load writes, since an agent's last step is in no earlier call. */
export const CALL_MARK = 'call number '
export const CALL_DIGITS = 10
const CALL_NUMBER = `${CALL_MARK}${'0'.repeat(CALL_DIGITS)}`

/** The last use of a tool, new with each call. */
function lastUse(result: string): Message[] {
  const id = `toolu_${'9'.repeat(24)}`
  const note = { type: 'text', text: CALL_NUMBER }
  const use = { type: 'tool_use', id, name: 'read_file', input: { path: '/home/agent/notes.md' } }
  const tool_result = { type: 'tool_result', tool_use_id: id, content: `${CALL_NUMBER}\n${result}` }
  return [
    { role: 'assistant', content: [note, use] },
    { role: 'user', content: [tool_result] },
  ]
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/**
 * The body of an agent's messages request.
 * @param size_bytes its exact length; at least 40,000, which system prompt and tools take
 */
export function agentBody(model: string, size_bytes: number): string {
  const random = createRandom(1)
  const text = (content: string) => ({ type: 'text', text: content })
  const request = {
    model,
    max_tokens: 32_000,
    temperature: 1,
    system: [{ ...text(prose(random, 1_200)), cache_control: { type: 'ephemeral' } }],
    tools: TOOL_NAMES.map((name) => toolOf(random, name)),
    messages: [{ role: 'user', content: [text(prose(random, 60))] }] as Message[],
    metadata: { user_id: 'user_bench' },
  }
  let left_bytes = size_bytes - bytesOf({ ...request, messages: [...request.messages, ...lastUse('')] })
  for (let index = 0; ; index++) {
    const turns = toolUse(random, index)
    // Two brackets and a comma around the turns alone, two commas among the others.
    const added_bytes = bytesOf(turns) - 1
    if (added_bytes > left_bytes) break
    request.messages.push(...turns)
    left_bytes -= added_bytes
  }
  request.messages.push(...lastUse('x'.repeat(left_bytes)))
  return JSON.stringify(request)
}
