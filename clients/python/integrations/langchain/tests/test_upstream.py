"""The suites of LangChain for vector stores and for stores of bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import (
    BaseStoreAsyncTests,
    BaseStoreSyncTests,
    VectorStoreIntegrationTests,
)
from memorysidecar import AsyncClient, Client

from memorysidecar_langchain import SidecarByteStore, SidecarVectorStore

TABLE = Path(__file__).resolve().parents[5] / "docs" / "integrations" / "README.md"


class Values:
    @pytest.fixture
    def three_values(self) -> tuple[bytes, bytes, bytes]:
        return b"", b"one", bytes(range(256))


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, client: Client) -> VectorStore:
        return SidecarVectorStore(client, self.get_embeddings())


class TestVectorStoreOfAsyncClient(VectorStoreIntegrationTests):
    has_sync = False

    @pytest.fixture
    async def vectorstore(self, async_client: AsyncClient) -> VectorStore:
        return SidecarVectorStore(async_client, self.get_embeddings())


class TestVectorStoreWithoutEmbedding(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, client: Client) -> VectorStore:
        return SidecarVectorStore(client)


class TestByteStore(Values, BaseStoreSyncTests[bytes]):
    @pytest.fixture
    def kv_store(self, client: Client) -> SidecarByteStore:
        return SidecarByteStore(client)


class TestByteStoreAsync(Values, BaseStoreAsyncTests[bytes]):
    @pytest.fixture
    def kv_store(self, client: Client) -> SidecarByteStore:
        return SidecarByteStore(client)


class TestByteStoreOfAsyncClient(Values, BaseStoreAsyncTests[bytes]):
    @pytest.fixture
    async def kv_store(self, async_client: AsyncClient) -> SidecarByteStore:
        return SidecarByteStore(async_client)


@pytest.mark.parametrize(
    ("name", "suite"),
    [
        ("vector store", VectorStoreIntegrationTests),
        ("byte store, synchronous", BaseStoreSyncTests),
        ("byte store, asynchronous", BaseStoreAsyncTests),
    ],
)
def test_the_table_has_the_cases_of_the_suites(name: str, suite: type) -> None:
    cases = sum(case.startswith("test_") for case in dir(suite))
    assert f"| LangChain | {name} | {cases} of {cases} |" in TABLE.read_text()
