// The pictures that an edit is made from: the latest of a conversation, by the ids under which the history has them.

import { findGeneration } from '../../library/generations.ts'
import { isPictureItem, pictureOf } from '../../protocols/openai/responses/picture-items.ts'
import { itemsOf, recalledOf, resolved } from '../../protocols/openai/responses/recalled.ts'
import { isObject, type JsonObject, objectIn, objectsIn, stringIn } from '../../protocols/wire/json.ts'
import type { ImageParts } from '../kinds/image/call.ts'
import type { Source } from '../kinds/image/order.ts'
import type { Admitted } from '../life/call.ts'

/** As many as an image can be made from (spec.md, Image compose request, rule 1). */
const MAX_SOURCES = 3

interface Conversation {
  /** The request, with what was recalled for it. */
  body: JsonObject
  /** Items of its answer so far. */
  drawn: readonly JsonObject[]
}

/** The last picture that was drawn, and what the caller has shown since; where none was, what they have shown. */
export async function picturesToEdit(
  { library }: Pick<ImageParts, 'library'>,
  { caller }: Pick<Admitted, 'caller'>,
  { body, drawn }: Conversation,
): Promise<Source[]> {
  const { before, items } = recalledOf(body)
  const all = [...before, ...resolved(itemsOf(body.input), items), ...drawn].filter(isObject)
  const last = all.findLastIndex((item) => isPictureItem(item) && item.status !== 'failed')
  const sources = new Map<string, Source>()
  for (const item of all.slice(Math.max(0, last)))
    for (const source of isPictureItem(item) ? await drawnSource(item) : shownSources(item))
      sources.set(source.kind === 'generation' ? source.uuid : source.text, source)
  return [...sources.values()].slice(-MAX_SOURCES)

  /** What is not in the account's history, but was sent along, is taken as it was sent. */
  async function drawnSource({ id, result, output_format }: JsonObject): Promise<Picture[]> {
    const uuid = pictureOf(id)
    const is_own =
      uuid !== undefined && (await findGeneration(library.db, caller.account.id, uuid)) !== undefined
    const data = stringIn(result)
    if (data && !is_own)
      return [{ kind: 'inline', text: `data:image/${stringIn(output_format) ?? 'png'};base64,${data}` }]
    return uuid === undefined ? [] : [{ kind: 'generation', uuid }]
  }
}

type Picture = Extract<Source, { kind: 'generation' | 'inline' }>

/** The images in a message, and in the output of a tool. */
const shownSources = ({ content, output }: JsonObject): Picture[] =>
  [...objectsIn(content), ...objectsIn(output)].flatMap(({ type, image_url }): Picture[] => {
    const text = stringIn(image_url) ?? stringIn(objectIn(image_url).url)
    return type === 'input_image' && text ? [{ kind: 'inline', text }] : []
  })
