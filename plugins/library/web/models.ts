// Types and texts of generated images.
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import type { ListedImage } from '../../console/web/parts/pictures.tsx'

export type ImageDetails = AnswerOf<ReturnType<typeof api.images>['get']>
export type Relative = ImageDetails['lineage'][number]

export const KIND_WORDS: Record<ListedImage['kind'], string> = {
  generation: 'generated',
  edit: 'edited',
  compose: 'composed',
}

/** `1024 × 768`; a dash until it is known. */
export const sizeOf = ({ width, height }: Pick<ListedImage, 'width' | 'height'>): string =>
  width === null || height === null ? '–' : `${width} × ${height}`
