import { toPointer } from '../../../lib/pointer.ts'

/** JSON Pointers to what rules speak of. */
export function toolAt(name: string): string {
  return `/backend/tools${toPointer([name])}`
}

export function compositeAt(name: string): string {
  return `/backend/composites${toPointer([name])}`
}
