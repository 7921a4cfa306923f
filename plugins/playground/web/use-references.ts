// The pictures to work from: those that are pressed, those that are dropped, and the one that another page sent here.
import { useEffect, useState } from 'react'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { MAX_REFERENCES } from './generation.ts'
import { fileName, type Reference } from './reference.ts'

export function useReferences() {
  const [references, setReferences] = useState<readonly Reference[]>([])
  const [{ from }] = useAddressState({ from: '' })
  useEffect(() => {
    if (from !== '') setReferences([referenceIn(from)])
  }, [from])

  const isChosen = ({ id }: Pick<Reference, 'id'>): boolean => references.some((each) => each.id === id)
  /** Takes it, in place of the oldest where there are enough; or lets it go. */
  function toggle(reference: Reference): void {
    if (isChosen(reference)) setReferences(references.filter(({ id }) => id !== reference.id))
    else setReferences([...references, reference].slice(-MAX_REFERENCES))
  }
  return { references, setReferences, isChosen, toggle }
}

const referenceIn = (id: string): Reference =>
  id.startsWith('files/')
    ? { is: 'file', id, label: fileName(id) }
    : { is: 'image', id, label: 'the chosen image' }
