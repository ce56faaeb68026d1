/** The API as it is shipped. */
import apiSource from '../../spec/openapi.yaml';
import type { ApiDocument } from '../../src/openapi/api-document.ts';
import { type Contract, createContract } from '../../src/openapi/contract.ts';
import { applyProfile } from '../../src/openapi/document.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';

export const api: Contract = createContract(applyProfile(apiSource as ApiDocument, shippedProfile));
