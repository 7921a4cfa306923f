// The references of an image request: pressed pictures, dropped ones, and one from another page's link.
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
  /** Adds it, in place of the oldest beyond the maximum, or removes it. */
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
