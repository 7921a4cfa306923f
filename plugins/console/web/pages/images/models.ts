// Produced images as the server shows them.
import type { api } from '../../app/client.ts'

type Answered<Call extends (...args: never[]) => Promise<unknown>> =
  Awaited<ReturnType<Call>> extends { data: infer Data } ? NonNullable<Data> : never

export type ListedImage = Answered<typeof api.images.get>['images'][number]
export type ShownImage = Answered<ReturnType<typeof api.images>['get']>
export type Relative = ShownImage['lineage'][number]

export const KIND_WORDS: Record<ListedImage['kind'], string> = {
  generation: 'generated',
  edit: 'edited',
  compose: 'composed',
}

/** `1024 × 768`; a dash while there is none. */
export const sizeOf = ({ width, height }: Pick<ListedImage, 'width' | 'height'>): string =>
  width === null || height === null ? '–' : `${width} × ${height}`
