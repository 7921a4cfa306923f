// Parsing of one line of a kept response into complete items, for the list of input items.
import { OPENING_BRACE, OPENING_BRACKET, QUOTE } from '../../src/protocols/wire/json-bytes.ts'
import { eachPart, membersOf, namesOf, type Part } from '../../src/responses/json-parts.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

export interface ListedItem {
  readonly id: string
  readonly json: Uint8Array
}

/** The origin of a line: a response, or one of its input items. */
interface LineOrigin {
  readonly response_id: string
  /** Undefined for the line of the response itself. */
  readonly input_index: number | undefined
}

/** Id prefixes by type, for items to which the caller gave no id. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
}

const OUTPUT = namesOf('output')
const ITEM = namesOf('id', 'type', 'status', 'role', 'content')
/** After this number of items the event loop serves other work. */
const ITEMS_A_TURN = 64

/** Returns the output items of a response, or the one input item. @throws SyntaxError if the line is damaged */
export async function itemsOfLine(
  line: Uint8Array,
  { response_id, input_index }: LineOrigin,
): Promise<ListedItem[]> {
  if (line[0] !== OPENING_BRACE) throw new SyntaxError('a kept response has a line that is no object')
  if (input_index !== undefined) return [await itemAt(line, 0, response_id, input_index)]
  const output = (await membersOf(line, 0, OUTPUT)).values.get('output')
  const items: ListedItem[] = []
  for (const { at } of output ? await objectsIn(line, output) : []) {
    if (items.length % ITEMS_A_TURN === ITEMS_A_TURN - 1) await endOfTurn()
    items.push(await itemAt(line, at, response_id, items.length))
  }
  return items
}

/** Returns the elements of an array that are objects. */
async function objectsIn(line: Uint8Array, array: Part): Promise<Part[]> {
  const objects: Part[] = []
  if (line[array.at] === OPENING_BRACKET)
    await eachPart(line, array.at, (part) => {
      if (line[part.at] === OPENING_BRACE) objects.push(part)
    })
  return objects
}

/** Members to replace or add, as pieces of JSON. */
type NewMembers = Map<string, readonly Uint8Array[]>

/** Completes an item: callers may omit its type and id, and send its content as a text. */
async function itemAt(line: Uint8Array, at: number, response_id: string, index: number): Promise<ListedItem> {
  const { values, end } = await membersOf(line, at, ITEM)
  const textOf = (name: string): string | undefined => {
    const part = values.get(name)
    return part && line[part.at] === QUOTE
      ? JSON.parse(new TextDecoder().decode(line.subarray(part.at, part.end)))
      : undefined
  }
  const written: NewMembers = new Map()
  const own_type = textOf('type')
  const type = own_type ?? 'message'
  const own_id = textOf('id')
  const id = own_id || `${PREFIXES[type] ?? 'item'}_${response_id.replace(/^resp_/, '')}_${index}`
  if (!own_id) written.set('id', [Buffer.from(JSON.stringify(id))])
  if (own_type === undefined) written.set('type', [Buffer.from(JSON.stringify(type))])
  if (type !== 'message') return { id, json: replaceMembers(line, { at, end }, values, written) }
  const content = await contentOf(line, values.get('content'), textOf('role'))
  if (content) written.set('content', content)
  if (!values.has('status')) written.set('status', [Buffer.from('"completed"')])
  return { id, json: replaceMembers(line, { at, end }, values, written) }
}

const EMPTY_OBJECT_BYTES = 2

function replaceMembers(
  line: Uint8Array,
  { at, end }: Part,
  values: ReadonlyMap<string, Part>,
  written: NewMembers,
): Uint8Array {
  const pieces: Uint8Array[] = []
  let copied = at
  for (const [name, { at: place, end: after }] of values) {
    const json = written.get(name)
    if (!json) continue
    pieces.push(line.subarray(copied, place), ...json)
    copied = after
  }
  pieces.push(line.subarray(copied, end - 1))
  let comma = end - at > EMPTY_OBJECT_BYTES ? ',' : ''
  for (const [name, json] of written) {
    if (values.has(name)) continue
    pieces.push(Buffer.from(`${comma}"${name}":`), ...json)
    comma = ','
  }
  return Buffer.concat([...pieces, line.subarray(end - 1, end)])
}

/** Returns the content of a message as a list; undefined if it is already a list of objects. */
async function contentOf(
  line: Uint8Array,
  content: Part | undefined,
  role: string | undefined,
): Promise<Uint8Array[] | undefined> {
  const first = content && line[content.at]
  if (content && first === QUOTE) {
    const is_output = role === 'assistant'
    return [
      Buffer.from(`[{"type":"${is_output ? 'output' : 'input'}_text","text":`),
      line.subarray(content.at, content.end),
      Buffer.from(is_output ? ',"annotations":[]}]' : '}]'),
    ]
  }
  if (!content || first !== OPENING_BRACKET) return [Buffer.from('[]')]
  let others = 0
  await eachPart(line, content.at, ({ at }) => {
    if (line[at] !== OPENING_BRACE) others++
  })
  if (others === 0) return undefined
  const objects = await objectsIn(line, content)
  const texts = objects.map(({ at, end }) => new TextDecoder().decode(line.subarray(at, end)))
  return [Buffer.from(`[${texts.join(',')}]`)]
}
