// The picture that another page sent here to be worked from: named in the address.
import { useMemo } from 'react'
import { useAddressState } from '../../parts/address-state.ts'
import { fileName, type Reference } from './reference.ts'

export function useAskedReference(): Reference | undefined {
  const [{ from }] = useAddressState({ from: '' })
  return useMemo(() => {
    if (from === '') return undefined
    return from.startsWith('files/')
      ? { is: 'file', id: from, label: fileName(from) }
      : { is: 'image', id: from, label: 'the chosen image' }
  }, [from])
}
