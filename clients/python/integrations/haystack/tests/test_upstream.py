"""The suites of Haystack for document stores."""

from __future__ import annotations

from pathlib import Path

import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.testing import document_store as suites
from haystack.testing import document_store_async as async_suites
from memorysidecar import AsyncClient, Client

from memorysidecar_haystack import SidecarDocumentStore

TABLE = Path(__file__).resolve().parents[5] / "docs" / "integrations" / "README.md"


class Synchronous(
    suites.DocumentStoreBaseExtendedTests,
    suites.CountDocumentsByFilterTest,
    suites.CountUniqueMetadataByFilterTest,
    suites.GetMetadataFieldsInfoTest,
    suites.GetMetadataFieldMinMaxTest,
    suites.GetMetadataFieldUniqueValuesTest,
):
    pass


class Asynchronous(
    async_suites.DeleteAllAsyncTest,
    async_suites.CountDocumentsAsyncTest,
    async_suites.CountDocumentsByFilterAsyncTest,
    async_suites.CountUniqueMetadataByFilterAsyncTest,
    async_suites.DeleteByFilterAsyncTest,
    async_suites.UpdateByFilterAsyncTest,
    async_suites.WriteDocumentsAsyncTest,
    async_suites.DeleteDocumentsAsyncTest,
    async_suites.GetMetadataFieldsInfoAsyncTest,
    async_suites.GetMetadataFieldMinMaxAsyncTest,
    async_suites.GetMetadataFieldUniqueValuesAsyncTest,
    async_suites.FilterDocumentsAsyncTest,
):
    async def test_write_documents_async(self, document_store: SidecarDocumentStore) -> None:
        document = Document(content="text")
        assert await document_store.write_documents_async([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            await document_store.write_documents_async([document])


class TestDocumentStore(Synchronous):
    @pytest.fixture
    def document_store(self, client: Client) -> SidecarDocumentStore:
        return SidecarDocumentStore(client=client)

    def test_write_documents(self, document_store: SidecarDocumentStore) -> None:
        document = Document(content="text")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])


class TestDocumentStoreAsync(Asynchronous):
    @pytest.fixture
    def document_store(self, client: Client) -> SidecarDocumentStore:
        return SidecarDocumentStore(client=client)


class TestDocumentStoreOfAsyncClient(Asynchronous):
    @pytest.fixture
    async def document_store(self, async_client: AsyncClient) -> SidecarDocumentStore:
        return SidecarDocumentStore(client=async_client)


RECREATES = 2
"""Tests of stores that can create an index anew. This one has none, so they skip themselves."""


@pytest.mark.parametrize(("name", "suite"), [("", Synchronous), ("async", Asynchronous)])
def test_the_table_has_the_cases_of_the_suites(name: str, suite: type) -> None:
    cases = sum(case.startswith("test_") for case in dir(suite)) - RECREATES
    kind = "asynchronous" if name else "synchronous"
    assert f"| Haystack | document store, {kind} | {cases} of {cases} |" in TABLE.read_text()
