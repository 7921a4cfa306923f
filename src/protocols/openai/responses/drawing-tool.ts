// The tool that draws, as callers offer it and as models are told about it: a function, which the gateway runs.
// https://platform.openai.com/docs/guides/tools-image-generation
import type { Static } from '@sinclair/typebox'
import { Anything, Choice, Count, Fields, optional, readPresent, Text } from '../../forms.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  parseObject,
  refusal,
  stringIn,
} from '../../wire/json.ts'
import { namedTools } from './tools.ts'

export const DRAWING = 'image_generation'

const ACTIONS = { auto: true, generate: true, edit: true } as const
const BACKGROUNDS = { auto: true, transparent: true, opaque: true } as const
const FORMATS = { png: true, jpeg: true, webp: true } as const
const FIDELITIES = { high: true, low: true } as const
const MODERATIONS = { auto: true, low: true } as const
const MAX_COMPRESSION = 100

/** What is read of the tool. Partial images are taken, and none come. Which qualities there are depends on who draws. */
const DrawingTool = Fields({
  model: optional(Text),
  action: optional(Choice(ACTIONS)),
  size: optional(Text),
  quality: optional(Text),
  background: optional(Choice(BACKGROUNDS)),
  output_format: optional(Choice(FORMATS)),
  output_compression: optional(Count),
  input_fidelity: optional(Choice(FIDELITIES)),
  moderation: optional(Choice(MODERATIONS)),
  partial_images: optional(Count),
  input_image_mask: Anything,
})

/** A tool that draws, and the name under which a model knows it. */
export interface OfferedDrawing {
  name: string
  /** Where it stands in the request. */
  at: string
  asked: Static<typeof DrawingTool>
  /** A data URI. */
  mask: string | undefined
}

/**
 * The first tool of a request that draws; undefined if not found.
 * @throws GatewayError invalid_request naming the field that is malformed
 */
export function offeredDrawing(tools: Json | undefined): OfferedDrawing | undefined {
  const list = Array.isArray(tools) ? tools : []
  const index = list.findIndex(isDrawing)
  const tool = list[index]
  if (tool === undefined) return undefined
  const at = `tools[${index}]`
  const asked = readPresent(DrawingTool, tool, at)
  if ((asked.output_compression ?? 0) > MAX_COMPRESSION)
    throw refusal(`${at}.output_compression`, `must be a whole number from 0 to ${MAX_COMPRESSION}.`)
  const mask = stringIn(objectIn(asked.input_image_mask).image_url)
  return { name: freeName(tools), at, asked, mask }
}

const isDrawing = (tool: Json): boolean => isObject(tool) && tool.type === DRAWING

/** A caller may have a function of the same name. */
function freeName(tools: Json | undefined): string {
  const taken = new Set(namedTools(tools).map(({ name }) => name))
  let name = DRAWING
  while (taken.has(name)) name += '_tool'
  return name
}

const DESCRIPTION = `Draws one image and shows it to the user at once. Call it whenever the user wants a picture, drawing, photo, logo or
diagram as an image, or wants an image of this conversation changed. Do not call it for anything else.`
const PROMPT = `What the image is to show, in full: whoever draws it sees nothing else of this conversation but, for an edit, the images
that are to be edited.`
const ACTION = `"edit" changes or combines the latest images of the conversation, which the user has shown or which were made before;
"generate" makes a new one.`

/** The function in the tool's place. */
const functionFor = ({ name, asked: { action = 'auto' } }: OfferedDrawing): JsonObject => ({
  type: 'function',
  name,
  description: DESCRIPTION,
  parameters: {
    type: 'object',
    properties: {
      prompt: { type: 'string', description: PROMPT },
      ...(action === 'auto'
        ? { action: { type: 'string', enum: ['generate', 'edit'], description: ACTION } }
        : {}),
    },
    required: ['prompt'],
    additionalProperties: false,
  },
  strict: false,
})

/** The fields of a request with the function in the place of the tool, where it is offered and where it is forced. */
export function withFunction({ tools, tool_choice }: JsonObject, offered: OfferedDrawing): JsonObject {
  let is_told = false
  const told = (Array.isArray(tools) ? tools : []).flatMap((tool): Json[] => {
    if (!isDrawing(tool)) return [tool]
    if (is_told) return []
    is_told = true
    return [functionFor(offered)]
  })
  const choice = toldChoice(tool_choice, offered.name)
  return { tools: told, ...(choice === undefined ? {} : { tool_choice: choice }) }
}

function toldChoice(choice: Json | undefined, name: string): Json | undefined {
  if (!isObject(choice)) return choice
  if (isDrawing(choice)) return { type: 'function', name }
  if (choice.type !== 'allowed_tools') return choice
  const tools = objectsIn(choice.tools).map((tool) => (isDrawing(tool) ? { type: 'function', name } : tool))
  return { ...choice, tools }
}

/** The choice once the model has called a tool: nothing is forced any more. */
export function laterChoice(choice: Json | undefined): Json {
  if (isObject(choice) && choice.type === 'allowed_tools') return { ...choice, mode: 'auto' }
  return choice === 'none' ? choice : 'auto'
}

/** What a model asks to have drawn. */
export interface AskedDrawing {
  prompt: string
  edits: boolean
}

/** The arguments of a call, read; undefined if they are cut off, or name nothing to draw. */
export function readDrawing(
  arguments_json: Json | undefined,
  { asked: { action = 'auto' } }: OfferedDrawing,
): AskedDrawing | undefined {
  const { prompt, action: chosen } = parseObject(stringIn(arguments_json) ?? '') ?? {}
  const text = stringIn(prompt)?.trim()
  if (!text) return undefined
  return { prompt: text, edits: (action === 'auto' ? chosen : action) === 'edit' }
}
